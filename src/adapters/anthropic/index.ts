export { AnthropicRun, type AnthropicRunOptions } from "./anthropic-run.js";
export { LoopStoppedError } from "./loop-stopped-error.js";
