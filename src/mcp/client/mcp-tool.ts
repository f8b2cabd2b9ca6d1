import type { DynTool } from "../../contract/dyn-tool.js";
import type { JsonObject, JsonValue } from "../../contract/json.js";
import { isJsonObject } from "../../contract/json.js";
import { TypedTool } from "../../contract/typed-tool.js";
import type { Violation } from "../../contract/validator.js";
import { callServer, judgeResult, type CallRoute } from "./call-server.js";
import { ANSWER, ANSWER_SCHEMA, answerDigest, splitInput } from "./continuation.js";
import type { McpToolDefinition } from "./tool-definition.js";
import { judgeByServersSchema } from "./untrusted-judge.js";

/** What every call of a server's tool answers: the server's result, whole. */
const RESULT_SCHEMA: JsonObject = Object.freeze({
  type: "object",
  properties: { content: { type: "array" }, structuredContent: {}, _meta: { type: "object" } },
});

/** A server's tool as a tool of this package. */
export function mcpTool(definition: McpToolDefinition, route: CallRoute): DynTool {
  const { name, description, effect, inputSchema, idempotencyPath, timeoutMs } = definition;
  const judgeInput = (input: JsonValue) => judgeArguments(inputSchema, input);
  const idempotencyKey =
    idempotencyPath === undefined
      ? undefined
      : (input: JsonValue): string => {
          const { arguments: args, answer } = splitInput(input);
          const key = idempotencyPath.derive(args);
          // The call that carries an answer is another one than the call that was suspended.
          return answer === undefined ? key : `${key}#${answerDigest(answer)}`;
        };
  const typed = new TypedTool<JsonObject, unknown>(
    {
      call: (ctx, input) => callServer(route, definition, ctx, input),
      // The tool's own name is put in front of it again.
      ...(idempotencyKey !== undefined && {
        idempotencyKey: (input) => idempotencyKey(input).slice(`${name}:`.length),
      }),
    },
    { name, description, effect, inputSchema },
    { compile: () => judgeInput },
  );
  return Object.freeze<DynTool>({
    name,
    description,
    effect,
    inputSchema,
    outputSchema: RESULT_SCHEMA,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    continues: (input) => {
      const { arguments: args, answer } = splitInput(input);
      return answer === undefined ? undefined : { input: args, answer: { [ANSWER]: answer } };
    },
    judgeInput,
    judgeOutput: (output) => judgeResult(definition, output),
    callJson: (ctx, input) => typed.callJson(ctx, input),
  });
}

/** What is wrong with an input: with its arguments by the server's schema, and with the answer that it may carry. */
async function judgeArguments(schema: JsonObject, input: JsonValue): Promise<readonly Violation[]> {
  if (!isJsonObject(input)) return [{ path: "$", message: "expected an object" }];
  const { arguments: args, answer } = splitInput(input);
  const violations = await judgeByServersSchema(schema, args);
  if (answer === undefined) return violations;
  const wrong = await judgeByServersSchema(ANSWER_SCHEMA, answer);
  return [
    ...violations,
    ...wrong.map(({ path, message }) => ({ path: path.replace("$", `$.${ANSWER}`), message })),
  ];
}
