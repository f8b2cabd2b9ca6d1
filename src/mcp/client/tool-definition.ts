import { IdempotencyPath } from "../../contract/idempotency-path.js";
import { isJsonObject, ownValue, type JsonObject } from "../../contract/json.js";
import { deepFreeze } from "../../contract/deep-freeze.js";
import { toPlainJson } from "../../contract/plain-json.js";
import { reasonOf } from "../../contract/handler-errors.js";
import { TOOL_NAME } from "../../contract/tool-name.js";
import { judgedEffect, type JudgedEffect } from "../effect-reason.js";
import type { ListedTool } from "./list-tools.js";
import { optionsOf, type McpToolsOptions } from "./tool-options.js";
import { whyNoSchema } from "./untrusted-judge.js";

/** A tool of a server as it is offered here. */
export interface McpToolDefinition extends JudgedEffect {
  /** With the prefix. */
  readonly name: string;
  /** As the server calls it. */
  readonly serverName: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Of the result's `structuredContent`. */
  readonly outputSchema?: JsonObject;
  readonly idempotencyPath?: IdempotencyPath;
  readonly errorsAreDefinite: boolean;
  readonly timeoutMs?: number;
}

/** A tool that is not offered, and why. The others of its server are. */
export interface RefusedTool {
  /** As the server calls it, in a form that can be printed. */
  readonly serverName: string;
  readonly why: string;
}

/**
 * Reads what a server lists as a tool.
 *
 * @returns why it is not offered, when it is not.
 */
export async function readTool(
  { name: serverName, json }: ListedTool,
  options: McpToolsOptions,
): Promise<McpToolDefinition | RefusedTool> {
  const refused = (why: string): RefusedTool => ({ serverName: printable(serverName), why });
  const name = `${options.prefix ?? ""}${serverName}`;
  if (!TOOL_NAME.test(name) || name === "__proto__") {
    return refused("no API for models takes its name: letters, digits, _ and -, 64 at most");
  }
  let tool: JsonObject;
  try {
    tool = deepFreeze(toPlainJson(json) as JsonObject);
  } catch (error) {
    return refused(`its definition is not accepted: ${reasonOf(error)}`);
  }
  const inputSchema = ownValue(tool, "inputSchema");
  if (!isJsonObject(inputSchema)) return refused("it has no inputSchema");
  const outputSchema = ownValue(tool, "outputSchema") ?? undefined;
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) {
    return refused("its outputSchema is no object");
  }
  const noInput = await whyNoSchema(inputSchema);
  if (noInput !== undefined) return refused(`its inputSchema is not accepted: ${noInput}`);
  const noOutput = outputSchema === undefined ? undefined : await whyNoSchema(outputSchema);
  if (noOutput !== undefined) return refused(`its outputSchema is not accepted: ${noOutput}`);
  const annotations = ownValue(tool, "annotations");
  const { effect, idempotencyKey, errorsAreDefinite = false, timeoutMs } = optionsOf(options, serverName);
  const limit = timeoutMs ?? options.timeoutMs;
  return {
    name,
    serverName,
    description: descriptionOf(tool, serverName),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...judgedEffect(isJsonObject(annotations) ? annotations : undefined, {
      ...(effect !== undefined && { override: effect }),
      trustAnnotations: options.trustAnnotations ?? true,
    }),
    ...(idempotencyKey !== undefined && { idempotencyPath: new IdempotencyPath(name, idempotencyKey) }),
    errorsAreDefinite,
    ...(limit !== undefined && { timeoutMs: limit }),
  };
}

export function isRefused(tool: McpToolDefinition | RefusedTool): tool is RefusedTool {
  return !("inputSchema" in tool);
}

/** A server need not describe its tools; a model has to be told something. */
function descriptionOf(tool: JsonObject, serverName: string): string {
  const texts = [ownValue(tool, "description"), ownValue(tool, "title")];
  return texts.find((text): text is string => typeof text === "string" && text.trim() !== "") ?? serverName;
}

function printable(name: string): string {
  return name
    .slice(0, 100)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?");
}
