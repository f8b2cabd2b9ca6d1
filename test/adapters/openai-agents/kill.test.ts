import { bundled } from "../support/bundled.js";
import { describeKills } from "../support/kill-test.js";

const program = await bundled("openai-agents/support/desk-program.ts");
describeKills("an agent of the OpenAI Agents SDK that is killed at every place", { program });
