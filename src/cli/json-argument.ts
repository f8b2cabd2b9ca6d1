import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { JsonValue } from "../contract/json.js";
import { JsonSyntaxError } from "../log/json-syntax-error.js";
import { parseJson } from "../log/parse-json.js";
import { CliError, EXIT } from "./cli-error.js";

/**
 * Reads what an option such as `--output` says: JSON itself, `@FILE`, or `-` for standard input. Nothing is rounded: the same JSON rules as
 * on the wire.
 *
 * @param option the name of the option, for messages.
 * @throws {@link CliError} (usage) when it cannot be read or is no JSON.
 */
export async function readJsonArgument(
  option: string,
  argument: string,
  stdin: NodeJS.ReadableStream = process.stdin,
): Promise<JsonValue> {
  const { where, source } = await sourceOf(option, argument, stdin);
  try {
    return parseJson(source);
  } catch (cause) {
    if (!(cause instanceof JsonSyntaxError)) throw cause;
    throw new CliError(`${where} is not acceptable JSON: ${cause.message}`, {
      next: `${option} '{"key":"value"}', ${option} @FILE, or ${option} - for standard input`,
      exitCode: EXIT.usage,
      cause,
    });
  }
}

async function sourceOf(
  option: string,
  argument: string,
  stdin: NodeJS.ReadableStream,
): Promise<{ where: string; source: string | Uint8Array }> {
  if (argument === "-") return { where: "standard input", source: await text(stdin) };
  if (!argument.startsWith("@")) return { where: option, source: argument };
  const file = argument.slice(1);
  try {
    return { where: file, source: await readFile(file) };
  } catch (cause) {
    throw new CliError(`cannot read ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      next: `${option} @FILE with a file that exists, or ${option} - for standard input`,
      exitCode: EXIT.usage,
      cause,
    });
  }
}
