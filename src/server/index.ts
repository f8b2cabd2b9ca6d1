export { ApiError, type ErrorCode } from "./api-error.js";
export { createApp } from "./app.js";
export { AppState, type AppOptions, type ClientTools } from "./app-state.js";
export type { Limits } from "./limits.js";
export { logThrown } from "./log-thrown.js";
export { startServer, type ListenOptions, type RunningServer } from "./start-server.js";
export { anthropicExecutor, type AnthropicOptions } from "./model/anthropic-executor.js";
export type { ModelAnswer, ModelCallOptions, ModelDelta, ModelExecutor } from "./model/model-executor.js";
export { ModelFailure } from "./model/model-failure.js";
