export { DurableRun, type RunTools } from "./durable-run.js";
export type {
  Decision,
  DurableCallOptions,
  DurableRunOptions,
  ResumeOptions,
  RunStart,
} from "./durable-run-options.js";
export type { Timing } from "../contract/perform-call.js";
export type { AroundCall, ExecutedCall } from "./around-call.js";
export { Recorder, type RecorderOptions } from "./recorder.js";
export {
  CallInFlight,
  IdempotencyKeyCollision,
  NeedsReconciliation,
  OutcomeUnknown,
  ToolFailed,
  type CallName,
} from "./call-errors.js";
export { Divergence } from "./divergence.js";
export {
  InputRefused,
  RunEnded,
  RunExists,
  RunSuspended,
  UnknownRun,
  UnregisteredTool,
  WrongState,
} from "./run-errors.js";
export { NotJson } from "../contract/plain-json.js";
