export { openAgentRun } from "./open-run.js";
export { durableMiddleware } from "./durable-middleware.js";
export { durableModel, type DurableModelOptions } from "./durable-model.js";
export { durableTools, DurableTool } from "./durable-tools.js";
export { waitsOf } from "./waiting.js";
