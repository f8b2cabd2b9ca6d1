import { stat } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { causeChain } from "../contract/cause-chain.js";
import { ToolSet } from "../contract/tool-set.js";
import type { ClientTools } from "../server/index.js";
import { CliError } from "./cli-error.js";
import { printable } from "./printable.js";
import { shellWord } from "./shell-word.js";

const TYPESCRIPT: ReadonlySet<string> = new Set([".ts", ".mts", ".cts", ".tsx"]);

/** The exports that are looked at, in this order. */
const NAMES = ["default", "tools"] as const;

/**
 * Loads the tools that a server is to perform: an ES module whose default export, or else whose export `tools`, is a
 * `ToolSet`, or a function that makes one.
 *
 * @param clientTools the declared tools, which have to have other names.
 * @throws {@link CliError} saying what is wrong with the module.
 */
export async function loadTools(path: string, clientTools: ClientTools): Promise<ToolSet> {
  const file = resolve(path);
  await checkFile(path, file);
  const tools = await toolSetOf(path, await importModule(path, file));
  const both = tools.names().filter((name) => clientTools.get(name) !== undefined);
  if (both.length === 0) return tools;
  throw new CliError(
    `${both.join(", ")}: performed by the server, as ${shown(path)} says, and declared as a client tool too, so nobody could say who performs it`,
    { next: 'give one of the two another name, for example @Tool("write", { name: "..." })' },
  );
}

async function checkFile(path: string, file: string): Promise<void> {
  if (TYPESCRIPT.has(extname(file))) {
    throw new CliError(`--tools names TypeScript source: ${shown(path)}`, {
      next: "compile it (npx tsc), then: salvor serve --tools the .js file that this makes",
    });
  }
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() === true) return;
  throw new CliError(
    `--tools names ${shown(path)}, which is ${found === undefined ? "not there" : "no file"}`,
    {
      next: "build it first, then: salvor serve --tools dist/tools.js",
    },
  );
}

async function importModule(path: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw atFault(path, `cannot be loaded: ${printable(causeChain(cause))}`, cause);
  }
}

async function toolSetOf(path: string, module: Readonly<Record<string, unknown>>): Promise<ToolSet> {
  const name = NAMES.find((each) => module[each] !== undefined);
  if (name === undefined) {
    const exported = Object.keys(module).join(", ");
    throw atFault(path, `exports no ToolSet as default or as "tools" (it exports ${exported || "nothing"})`);
  }
  const given = await made(path, name, module[name]);
  if (given instanceof ToolSet) return given;
  if (looksLikeOne(given)) {
    throw new CliError(
      `the ToolSet of ${shown(path)} is made by another copy of salvor than this command is part of`,
      {
        next: `npx --no-install salvor serve --tools ${shellWord(path)}, in the project that has both`,
      },
    );
  }
  throw atFault(path, `exports as ${name} ${whatItIs(given)}, not a ToolSet or a function that makes one`);
}

async function made(path: string, name: string, exported: unknown): Promise<unknown> {
  if (typeof exported !== "function") return exported;
  try {
    return await (exported as () => unknown)();
  } catch (cause) {
    throw atFault(path, `exports as ${name} a function that throws: ${printable(causeChain(cause))}`, cause);
  }
}

function looksLikeOne(given: unknown): boolean {
  return typeof given === "object" && given !== null && "descriptors" in given && "register" in given;
}

function whatItIs(given: unknown): string {
  if (given === null || given === undefined) return String(given);
  return typeof given === "object" ? "an object" : `a ${typeof given}`;
}

function atFault(path: string, problem: string, cause?: unknown): CliError {
  return new CliError(`${shown(path)} ${problem}`, {
    next: "export default new ToolSet(schemas).register(new MyTool()), and build again",
    cause,
  });
}

function shown(path: string): string {
  return printable(path);
}
