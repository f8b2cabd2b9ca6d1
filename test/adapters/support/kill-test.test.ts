import { join } from "node:path";
import { describeKills } from "./kill-test.js";

describeKills("a plain program that is killed at every place", {
  program: join(import.meta.dirname, "plain-program.js"),
  // `npm test` takes a sample, `npm run soak` every place.
  every: process.env.SALVOR_SOAK === "1" ? 1 : 5,
});
