export { ApiError, type ErrorCode } from "./api-error.js";
export { createApp } from "./app.js";
export { AppState, type AppOptions, type ClientTools } from "./app-state.js";
export { logThrown } from "./log-thrown.js";
export { startServer, type ListenOptions, type RunningServer } from "./start-server.js";
