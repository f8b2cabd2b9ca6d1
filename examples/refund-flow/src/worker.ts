// Works at the flow until it is done, waits for a person, or dies. Whoever is started next goes on from the checkpoint.
//   node worker.js FOLDER RUN-ID [thinking|paid]    (where to die, for the story's sake)
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { SalvorClient } from "salvor/client";
import { Bank } from "./bank.js";
import { FileSaver } from "./file-saver.js";
import { openFlow } from "./flow.js";
import { ScriptedModel } from "./scripted-model.js";

const [, , folder = ".", runId = "", dieAt] = process.argv;
const dieIf = (place: string) => {
  if (place === dieAt) process.kill(process.pid, "SIGKILL");
};

const { run, graph } = await openFlow({
  client: new SalvorClient({
    url: process.env["SALVOR_URL"] ?? "http://127.0.0.1:8080",
    token: process.env["SALVOR_TOKEN"],
  }),
  runId,
  bank: new Bank(join(folder, "bank.jsonl")),
  model: new ScriptedModel((results) => {
    appendFileSync(join(folder, "asked.txt"), `${results}\n`);
    if (results === 1) dieIf("thinking");
  }),
  checkpointer: new FileSaver(join(folder, "checkpoints.json")),
  onPaid: () => {
    dieIf("paid");
  },
});

const config = { configurable: { thread_id: runId } };
const saved = await graph.getState(config);
const isStarted = "messages" in (saved.values as object);
const isInterrupted = saved.tasks.some(({ interrupts }) => interrupts.length > 0);
const start = { messages: [new HumanMessage("Order A-17 came broken.")] };
const state = await graph.invoke(
  isInterrupted ? new Command({ resume: true }) : isStarted ? null : start,
  config,
);

const [wait] = run.waits(state);
if (wait === undefined) {
  const said = state.messages.at(-1)?.text ?? "";
  await run.agentRun.complete({ said });
  console.log(JSON.stringify({ done: said }));
} else {
  console.log(JSON.stringify({ wait }));
}
