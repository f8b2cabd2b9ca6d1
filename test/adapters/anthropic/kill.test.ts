import { join } from "node:path";
import { describeKills } from "../support/kill-test.js";

describeKills("a tool runner of the Anthropic SDK that is killed at every place", {
  program: join(import.meta.dirname, "support/desk-program.js"),
});
