import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "../../..");

/**
 * A project of somebody who installed this package: a copy of what is published, with its dependencies under it as npm puts them
 * when the project has other versions, so that nothing of this checkout is found by accident.
 */
export class AuthorProject implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "salvor-author-"));
  /** The command, for `node`. */
  readonly salvor = join(this.folder, "node_modules/salvor/dist/cli/main.js");

  /** @param packages what else is installed, by name, with the name of the package here when that is another one. */
  constructor(packages: Readonly<Record<string, string>> = {}) {
    const installed = join(this.folder, "node_modules/salvor");
    const { files, dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      readonly files: readonly string[];
      readonly dependencies: Readonly<Record<string, string>>;
    };
    for (const name of ["package.json", ...files]) {
      cpSync(join(ROOT, name), join(installed, name), { recursive: true });
    }
    for (const name of Object.keys(dependencies))
      this.#link(name, `node_modules/salvor/node_modules/${name}`);
    this.#linkCommands("salvor");
    for (const [name, here] of Object.entries(packages)) this.install(name, here);
  }

  /** Installs a package, in place of another one of that name. */
  install(name: string, here = name): void {
    rmSync(join(this.folder, "node_modules", name), { force: true });
    this.#link(here, `node_modules/${name}`);
    this.#linkCommands(name);
  }

  write(name: string, text: string): void {
    const file = join(this.folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Makes the commands of a package known to `npx`. */
  #linkCommands(name: string): void {
    const folder = join(this.folder, "node_modules", name);
    const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      readonly bin?: string | Readonly<Record<string, string>>;
    };
    const commands = typeof bin === "string" ? { [name]: bin } : (bin ?? {});
    mkdirSync(join(this.folder, "node_modules/.bin"), { recursive: true });
    for (const [command, file] of Object.entries(commands)) {
      const link = join(this.folder, "node_modules/.bin", command);
      rmSync(link, { force: true });
      symlinkSync(join(folder, file), link);
    }
  }

  #link(from: string, to: string): void {
    const link = join(this.folder, to);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", from), link, "dir");
  }
}
