export { AiSdkRun, type AiSdkAnswer, type AiSdkRunOptions } from "./ai-sdk-run.js";
export type { ApprovalPolicy } from "./durable-tool.js";
