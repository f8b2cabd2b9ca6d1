import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { describeKills } from "../support/kill-test.js";
import { bundled } from "./bundled.js";

const folder = await mkdtemp(join(tmpdir(), "salvor-langchain-"));
after(() => rm(folder, { recursive: true, force: true }));

// Each goes on from a checkpoint where the other begins again: every place is met both ways.
for (const [name, source] of [
  ["an agent of LangChain", "agent-program.ts"],
  ["a graph of LangGraph", "graph-program.ts"],
] as const) {
  describeKills(`${name} that is killed at every place`, { program: await bundled(source, folder) });
}
