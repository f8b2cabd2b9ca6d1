export { LangChainRun } from "./langchain-run.js";
export type { DurableModelOptions } from "./durable-model.js";
export type { DurableTool } from "./durable-tool.js";
