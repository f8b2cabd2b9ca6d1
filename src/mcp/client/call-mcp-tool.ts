import { isJsonObject, type JsonValue } from "../../contract/json.js";
import { ANSWER } from "./continuation.js";

/** Whether the output of a call is a person's answer to what its server asked, and not the server's result. */
export function isMcpAnswer(output: JsonValue): boolean {
  return isJsonObject(output) && Object.hasOwn(output, ANSWER) && Object.keys(output).length === 1;
}

/**
 * Calls a server's tool within a run until the server has answered. What a person answers to a question of the server's is
 * carried to it by a call of its own, with an intent of its own: so both are in the log, and replay in order.
 *
 * @param call performs or replays a call: `run.call` of a `DurableRun`.
 * @returns the server's result.
 * @throws what `call` throws: `RunSuspended` while a question waits for a person.
 */
export async function callMcpTool(
  call: (tool: string, input: JsonValue) => Promise<JsonValue>,
  tool: string,
  input: Readonly<Record<string, JsonValue>>,
): Promise<JsonValue> {
  for (let asked: Readonly<Record<string, JsonValue>> = input; ;) {
    const output = await call(tool, asked);
    if (!isMcpAnswer(output)) return output;
    asked = { ...input, ...(output as Readonly<Record<string, JsonValue>>) };
  }
}
