import { SalvorError } from "../client/salvor-error.js";
import { envelopeJson } from "../log/envelope-json.js";
import { EXIT, type ExitCode } from "./cli-error.js";
import type { WatchOptions } from "./commands/watch.js";
import { eventLine, toolIntentsOf, type ToolIntents } from "./event-words.js";
import { connect, type Remote } from "./remote.js";
import { whenAskedToStop } from "./shutdown.js";
import { err, out } from "./terminal.js";

/** How often in a row a server is looked for that went away. */
const PATIENCE = 60;

/** Follows a run until it is over, or until it is told to stop. */
export async function runWatch(id: string, options: WatchOptions): Promise<ExitCode> {
  // Whoever watches waits for a server that is started again, for minutes if need be.
  const remote = connect(options, { retries: PATIENCE });
  const { from: fromSeq = 0 } = options;
  const stop = new AbortController();
  void whenAskedToStop().then(() => {
    stop.abort();
  });
  const query = { fromSeq, follow: true };
  try {
    const intents = new Map(options.json === true ? [] : await intentsBefore(remote, id, fromSeq));
    const events = remote.client.events(id, query, { signal: stop.signal });
    for (;;) {
      const { done, value } = await events.next();
      if (done === true) {
        if (options.json !== true) err.line(`The run is ${value.status.state}.`);
        return EXIT.ok;
      }
      if (value.event.kind === "ToolCallRequested") intents.set(value.seq, value.event);
      out.line(options.json === true ? envelopeJson(value) : eventLine(value, intents, out));
    }
  } catch (error) {
    if (stop.signal.aborted && !(error instanceof SalvorError)) return EXIT.ok;
    throw remote.explain(error, id);
  }
}

/** What was asked for before the first event that is told: a completion names its tool through it. */
async function intentsBefore(remote: Remote, id: string, fromSeq: number): Promise<ToolIntents> {
  return fromSeq === 0 ? new Map() : toolIntentsOf(await remote.client.log(id));
}
