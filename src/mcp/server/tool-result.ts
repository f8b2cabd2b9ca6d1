import type { CallToolResult } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonValue } from "../../contract/json.js";
import type { McpTool } from "../../contract/models/to-mcp.js";
import type { Violation } from "../../contract/validator.js";
import type { CallPosition } from "../../log/events.js";
import { ERROR_META, REPLAYED_META, RUN_META } from "./run-meta.js";
import type { CallReply } from "./served-tools.js";

type Reply<K extends CallReply["kind"]> = Extract<CallReply, { readonly kind: K }>;

/** What a person types about a call, as far as this server knows where its runs are decided about. */
export interface Advice {
  /** A sentence on how to reach what decides, as `salvor serve --data DIR`. */
  readonly where: string;
}

/**
 * The answer to a call, as the protocol has it.
 *
 * @param violations what is wrong with an output that the tool itself did not give.
 */
export function outputResult(
  { outputSchema }: McpTool,
  { at, output, fresh, deduplicatedFrom }: Reply<"output">,
  violations: readonly Violation[],
): CallToolResult {
  const meta = {
    [RUN_META]: at.run_id,
    ...(!fresh && { [REPLAYED_META]: true }),
    ...(deduplicatedFrom !== undefined && { "salvor.dev/deduplicated-from": deduplicatedFrom.run_id }),
  };
  const text = textOf(output);
  if (outputSchema === undefined) return { content: [{ type: "text", text }], _meta: meta };
  if (violations.length === 0 && isJsonObject(output)) {
    return {
      content: [{ type: "text", text }],
      structuredContent: output,
      _meta: meta,
    };
  }
  // A client holds every other answer to the output schema, and would show its user nothing of this one.
  const what = violations.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return errorResult(
    "other_output",
    `The call has an answer that is not of the shape that the tool promises (${what}): a person gave it, or another version of ` +
      `the tool. It is recorded in run ${at.run_id}, and the call is over:\n${text}`,
    at,
  );
}

export function failedResult(tool: string, { at, failure }: Reply<"failed">): CallToolResult {
  const { kind, message, attempts } = failure;
  const how = attempts === 0 ? "was not performed" : "failed, and its effect did not happen";
  return errorResult(kind, `${tool} ${how}: ${message}`, at);
}

export function unknownResult(
  tool: string,
  { at, key, note }: Reply<"unknown">,
  advice: Advice,
): CallToolResult {
  return errorResult(
    "unknown_outcome",
    `${tool} began, and nobody knows whether its effect happened: it is not performed again. It is call ${at.seq} of run ` +
      `${at.run_id}${key === null ? "" : `, under the key ${key}`}. A person looks it up and settles it with ` +
      `salvor resolve ${at.run_id} --output JSON, or --not-performed; ${advice.where}. ` +
      "Asked for again after that, the call has that answer. Do not ask for the same effect in another way." +
      (note === undefined ? "" : `\n${note}`),
    at,
  );
}

export function underwayResult(tool: string, { at }: Reply<"underway">): CallToolResult {
  return errorResult(
    "underway",
    `the same call of ${tool} is being performed as run ${at.run_id}, and has no answer yet: nothing was performed for this ` +
      "request. Ask again when it has ended, and the answer is that one's. If another call is meant, give it a name of its own in " +
      "_meta (salvor.dev/idempotency-key).",
    at,
  );
}

/** @param note why nobody was asked, where something kept this server from it. */
export function suspendedResult(
  tool: string,
  { at, reason, inputSchema }: Reply<"suspended">,
  advice: Advice,
  note: string,
): CallToolResult {
  return errorResult(
    "suspended",
    `${tool} waits for a person: ${reason}\n${note} The call is recorded in run ${at.run_id}. A person answers it with an input of this schema: ` +
      `${JSON.stringify(inputSchema)} (salvor resume ${at.run_id} --input JSON; ${advice.where}). ` +
      `Asked for again after that, with "${RUN_META}": "${at.run_id}" in _meta, the call has that answer.`,
    at,
  );
}

export function refusedResult({ code, message, violations = [] }: Reply<"refused">): CallToolResult {
  const result = errorResult(code, message);
  return violations.length === 0
    ? result
    : {
        ...result,
        _meta: {
          [ERROR_META]: {
            code,
            violations: violations.map(({ path, message: why }) => ({ path, message: why })),
          },
        },
      };
}

function errorResult(code: string, text: string, at?: CallPosition): CallToolResult {
  return {
    isError: true,
    content: [{ type: "text", text }],
    _meta: { ...(at !== undefined && { [RUN_META]: at.run_id }), [ERROR_META]: { code } },
  };
}

function textOf(output: JsonValue): string {
  return typeof output === "string" ? output : JSON.stringify(output);
}
