import { bundled } from "../support/bundled.js";
import { describeKills } from "../support/kill-test.js";

// Each goes on from a checkpoint where the other begins again: every place is met both ways.
for (const [name, source] of [
  ["an agent of LangChain", "langchain/agent-program.ts"],
  ["a graph of LangGraph", "langchain/graph-program.ts"],
] as const) {
  describeKills(`${name} that is killed at every place`, {
    program: await bundled(source),
    // `npm test` takes a sample, `npm run soak` every place.
    every: process.env.SALVOR_SOAK === "1" ? 1 : 5,
  });
}
