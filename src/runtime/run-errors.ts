import type { JsonSchema } from "../contract/json.js";
import type { Violation } from "../contract/validator.js";
import type { RunStatus } from "../log/fold.js";

/** The run waits for a person. Ask for the same again after {@link DurableRun.resumeWith}: the input is then its result. */
export class RunSuspended extends Error {
  override readonly name = "RunSuspended";
  readonly code = "suspended";
  constructor(
    readonly run: string,
    /** The position of the suspension in the log. */
    readonly seq: number,
    readonly reason: string,
    /** What an acceptable input looks like. */
    readonly inputSchema: JsonSchema,
  ) {
    super(`run ${run} waits for a person: ${reason}`);
  }
}

/** The run is over: nothing more can be recorded in it. */
export class RunEnded extends Error {
  override readonly name = "RunEnded";
  readonly code = "run_ended";
  constructor(
    readonly run: string,
    readonly status: RunStatus,
  ) {
    super(`run ${run} is ${status.state}: nothing more can be recorded in it`);
  }
}

/** The id is taken: go on with that run, or start one under another id. */
export class RunExists extends Error {
  override readonly name = "RunExists";
  readonly code = "run_exists";
  constructor(readonly run: string) {
    super(`run ${run} exists already: DurableRun.resume goes on with it`);
  }
}

/** The store has no such run that a host of this store could go on with. */
export class UnknownRun extends Error {
  override readonly name = "UnknownRun";
  readonly code = "unknown_run";
  constructor(
    readonly run: string,
    why = "has no event in this store",
  ) {
    super(`run ${run} ${why}`);
  }
}

/** The tools of the run hold none with this name. */
export class UnregisteredTool extends Error {
  override readonly name = "UnregisteredTool";
  readonly code = "unregistered_tool";
  constructor(
    readonly tool: string,
    registered: readonly string[],
  ) {
    super(`no tool is registered as ${tool} (registered: ${registered.join(", ") || "none"})`);
  }
}

/** The run does not wait for this decision. Nothing was recorded. */
export class WrongState extends Error {
  override readonly name = "WrongState";
  readonly code = "wrong_state";
}

/** What a person gave does not match what the run waits for. Nothing was recorded, and the run still waits. */
export class InputRefused extends Error {
  override readonly name = "InputRefused";
  readonly code = "input_refused";
  constructor(
    what: string,
    readonly violations: readonly Violation[],
  ) {
    super(`${what}: ${violations.map(({ path, message }) => `${path}: ${message}`).join("; ")}`);
  }
}
