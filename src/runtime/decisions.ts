import type { DynTool } from "../contract/dyn-tool.js";
import type { JsonValue } from "../contract/json.js";
import { toPlainJson } from "../contract/plain-json.js";
import { failureOutput, reservedKey } from "../contract/reserved.js";
import type { ResolvedBy, RunEvent } from "../log/events.js";
import { createValidator, SchemaError } from "../schema/index.js";
import { claimChange, resumption } from "./claims.js";
import type { Decision } from "./durable-run-options.js";
import type { RunDesk } from "./recorder.js";
import { InputRefused, WrongState } from "./run-errors.js";
import { judgeAnswer } from "./suspension-schema.js";

/**
 * Resumes a suspended run: the input becomes the result of what suspended it.
 *
 * @throws {@link InputRefused} when the input does not match the schema that the suspension recorded.
 * @throws {@link WrongState} when the run is not suspended.
 */
export async function resumeWith(desk: RunDesk, input: JsonValue): Promise<void> {
  const { status } = desk.state;
  if (status.state !== "suspended") {
    throw new WrongState(`run ${desk.run} is ${status.state}: only a suspended run is resumed`);
  }
  const violations = await judgeAnswer(status.input_schema, input);
  if (violations instanceof SchemaError) {
    const what = `run ${desk.run} waits with a schema that no answer can be held to: ${violations.message}`;
    throw new WrongState(what, { cause: violations });
  }
  if (violations.length > 0) {
    throw new InputRefused(`the input does not match the schema that run ${desk.run} waits with`, violations);
  }
  const event: RunEvent = { kind: "Resumed", payload: { input } };
  await desk.append([event], await resumption(desk, event));
}

/**
 * Settles the `write` that a run hangs at, on a person's word.
 *
 * @throws {@link InputRefused} when the output cannot be that of the tool.
 * @throws {@link WrongState} when the run waits for no such decision.
 */
export async function resolveCall(
  desk: RunDesk,
  toolOf: (name: string) => DynTool | undefined,
  decision: Decision,
): Promise<void> {
  const { pending, status } = desk.state;
  if (pending?.kind !== "tool" || status.state !== "needs_reconciliation" || pending.seq !== decision.seq) {
    const at = pending === null ? "" : ` at call ${pending.seq}`;
    throw new WrongState(
      `run ${desk.run} is ${status.state}${at}: it does not wait for anyone to settle call ${decision.seq}`,
    );
  }
  const { seq, tool, idempotency_key: key } = pending;
  const output = await decidedOutput(decision, tool, toolOf(tool));
  const resolvedBy = resolvedByOf(decision);
  await desk.append(
    [{ kind: "ToolCallCompleted", payload: { seq, output, resolved_by: resolvedBy } }],
    await claimChange(desk.store, { run: desk.run, seq, key }, output),
  );
}

async function decidedOutput(decision: Decision, name: string, tool?: DynTool): Promise<JsonValue> {
  if (!("output" in decision)) {
    return failureOutput(
      "handler",
      decision.note?.toWellFormed() ?? "a person says that it was not performed",
      0,
    );
  }
  const output = toPlainJson(decision.output);
  const what = `the output of ${name}`;
  const reserved = reservedKey(output);
  if (reserved !== undefined) {
    throw new InputRefused(what, [
      { path: "$", message: `an object with only the reserved key ${reserved}` },
    ]);
  }
  const judge = tool?.judgeOutput ?? (tool?.outputSchema && createValidator().compile(tool.outputSchema));
  const violations = (await judge?.(output)) ?? [];
  if (violations.length > 0) throw new InputRefused(what, violations);
  return output;
}

function resolvedByOf(decision: Decision): ResolvedBy {
  const { operator, note } = decision;
  return {
    ...(operator !== undefined && { operator: operator.toWellFormed() }),
    ...(note !== undefined && { note: note.toWellFormed() }),
    ...("notPerformed" in decision && { not_performed: true }),
  };
}
