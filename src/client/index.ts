export { SalvorClient } from "./salvor-client.js";
export type {
  Ask,
  CallOptions,
  Drive,
  EventsQuery,
  HostedAsk,
  HostedModelAsk,
  ModelAsk,
  ModelReply,
  OpenRunRequest,
  SalvorClientOptions,
} from "./client-options.js";
export type { DriverStep, StepAnswer, StepAnswers } from "./driver-steps.js";
export type { ModelStepEvent } from "./model-step-events.js";
export { hashValue } from "./hash-value.js";
export { ClientRun, type RunTools } from "./client-run.js";
export type { OpenOptions, PerformOptions, PlacedOptions } from "./client-run-options.js";
export type { AgentCallOptions, AgentModelOptions, AgentOptions, CallEnd } from "./agent-options.js";
export { AgentRun } from "./agent-run.js";
export type { AsksOf, ToolAsk, TurnAsk } from "./agent-turns.js";
export type { CarriedAsk, HeldAsk } from "./ask-place.js";
export { WaitingError, waitOf, type RunWait } from "./run-wait.js";
export { DriftError, refuseDrift } from "./drift.js";
export type { Drift, ToolFace } from "../log/tool-drift.js";
export { HeldBackError, PassedCallError } from "./passing-errors.js";
export {
  OutputRefusedError,
  RunEndedError,
  RunNotStartedError,
  SuspendedError,
  ToolFailedError,
  UndeliveredReportError,
  UnknownOutcomeError,
  UnregisteredToolError,
  type CallName,
} from "./run-errors.js";
export type { Fetch } from "./transport.js";
export type {
  AbandonAnswer,
  CapabilitiesAnswer,
  DeclaredClientTool,
  HostedTool,
  IntentAnswer,
  ModelDelta,
  ModelIntentAnswer,
  OpenedRun,
  RefusedReportAnswer,
  ReplayAnswer,
  Resolution,
  ResolveAnswer,
  ResumeAnswer,
  RunAnswer,
  RunPage,
  RunQuery,
  RunStreamEnd,
  RunSummaryAnswer,
  ToolStepAnswer,
} from "./answers.js";
export { SalvorError } from "./salvor-error.js";
export type { SalvorErrorFields } from "./salvor-error.js";
export { NotJsonError } from "./json-text.js";
export { TransportError, UnexpectedAnswerError } from "./transport-error.js";
export {
  BadRequestError,
  CompletionRefusedError,
  DivergenceError,
  InvalidDriveTokenError,
  NeedsReconciliationError,
  OperatorRequiredError,
  RunExistsError,
  UnauthorizedError,
  UnavailableError,
  UnknownRunError,
  UnknownToolError,
  WrongStateError,
} from "./wire-errors.js";
export type { DivergenceFound, OpenIntent, RefusedCompletion, Report } from "./wire-errors.js";
