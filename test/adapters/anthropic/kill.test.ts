import { bundled } from "../support/bundled.js";
import { describeKills } from "../support/kill-test.js";

const program = await bundled("anthropic/support/desk-program.ts");
describeKills("a tool runner of the Anthropic SDK that is killed at every place", {
  program,
  // `npm test` takes a sample, `npm run soak` every place.
  every: process.env.SALVOR_SOAK === "1" ? 1 : 5,
});
