export { OpenAIAgentsRun, type Interrupted } from "./openai-agents-run.js";
