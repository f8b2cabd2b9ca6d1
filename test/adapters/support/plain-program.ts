import { ClientRun, NeedsReconciliationError } from "#salvor/client/index.js";
import { declaredTools } from "#salvor/schema/declared-tools.js";
import { SCRIPT } from "./desk.js";
import { DeskChild } from "./desk-child.js";

/** The desk's script without a framework and without a model: what the kill test itself is tried with. */
await DeskChild.run(async ({ client, handlers, options }) => {
  const tools = declaredTools(await client.clientTools(), handlers);
  const run = await ClientRun.open(client, tools, options);
  try {
    for (const { calls } of SCRIPT) {
      for (const { tool, input } of calls) await run.perform(tool, { ...input });
    }
  } catch (error) {
    if (!(error instanceof NeedsReconciliationError) || error.intent === undefined) throw error;
    return { end: "waiting", seq: error.intent.seq };
  }
  await run.complete({ done: true });
  return { end: "done", output: { done: true } };
});
