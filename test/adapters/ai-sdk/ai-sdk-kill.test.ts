import { join } from "node:path";
import { describeKills } from "../support/kill-test.js";

describeKills("a loop of the AI SDK that is killed at every place", {
  program: join(import.meta.dirname, "desk-program.js"),
});
