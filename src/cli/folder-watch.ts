import { watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import { CliError } from "./cli-error.js";
import { printable } from "./printable.js";

/** An editor writes a file in several steps: this long nothing must happen, in milliseconds, before anybody is told. */
const QUIET = 40;
/** However much happens, nobody waits longer than this, in milliseconds. */
const LONGEST = 400;

/** Tells when something happens in any of some folders, once for what happens at nearly the same time. */
export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  #since: number | undefined;

  /**
   * @param onChange called after something happened.
   * @param ignores whether what happens to a file is of no interest.
   */
  constructor(
    private readonly onChange: () => void,
    private readonly ignores: (file: string) => boolean,
  ) {}

  /**
   * Watches these folders from now on, and no others. Answers whether any of them is new: what happened there before went unseen.
   *
   * @throws {@link CliError} when the system does not let this many be watched.
   */
  set(folders: ReadonlySet<string>): boolean {
    for (const [folder, watcher] of this.#watchers) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
    const fresh = [...folders].filter((folder) => !this.#watchers.has(folder));
    return fresh.map((folder) => this.#add(folder)).some((added) => added);
  }

  /** Tells of a change as if something had happened. */
  nudge(): void {
    const now = performance.now();
    this.#since ??= now;
    clearTimeout(this.#timer);
    const delay = Math.max(0, Math.min(QUIET, this.#since + LONGEST - now));
    this.#timer = setTimeout(() => {
      this.#since = undefined;
      this.onChange();
    }, delay);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.set(new Set());
  }

  #add(folder: string): boolean {
    try {
      const watcher = watch(folder, (_, name) => {
        if (name === null || !this.ignores(join(folder, name))) this.nudge();
      });
      watcher.on("error", () => {
        // The folder is gone, or can no longer be watched.
        this.#watchers.delete(folder);
        watcher.close();
        this.nudge();
      });
      this.#watchers.set(folder, watcher);
      return true;
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      // Gone since it was looked for.
      if (code === "ENOENT") return false;
      throw new CliError(`cannot watch ${printable(folder)}: ${(cause as Error).message}`, {
        next: "raise the limit of watched files (on Linux: sysctl fs.inotify.max_user_watches), or salvor schemas without --watch",
        cause,
      });
    }
  }
}
