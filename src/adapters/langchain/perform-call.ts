import type { ToolCall, ToolMessage } from "@langchain/core/messages";
import {
  BadRequestError,
  HeldBackError,
  ToolFailedError,
  UnknownToolError,
  waitOf,
  type AgentRun,
  type CarriedAsk,
  type ToolAsk,
} from "../../client/index.js";
import { plain } from "./message-json.js";
import { Stops } from "./stops.js";
import { errorMessage, outputMessage } from "./tool-messages.js";
import { interruptBehind, interruptFor } from "./waiting.js";

/** When the calls of each run that were asked for so far have ended, however they did. */
const asked = new WeakMap<AgentRun, Promise<unknown>>();

/**
 * Performs a call that a model asked for, or answers what is recorded of it, as the message that the model is told. A call that is
 * recorded as failed, or was refused for its input, is a message too, of status `error`.
 *
 * @throws LangGraph's interrupt when the call waits for a person; an empty one when it was held back behind a call that
 *   does. Any other error stops the loop.
 */
export async function performCall(
  run: AgentRun,
  { id, name, args }: ToolCall,
  { signal, carried }: CallAround,
): Promise<ToolMessage> {
  if (id === undefined)
    throw new TypeError(`a call of ${name} has no id, so its answer could not be found again`);
  const stops = Stops.of(run);
  const before = asked.get(run) ?? Promise.resolve();
  const answering = answer(run, { id, tool: name, input: plain(args) }, { signal, carried, before });
  asked.set(
    run,
    Promise.allSettled([before, answering]).then(() => undefined),
  );
  try {
    const message = await answering;
    stops.goOn(id);
    return message;
  } catch (error) {
    stops.stop(id, error);
    throw error;
  }
}

/** What a call is made with. */
export interface CallAround {
  readonly signal: AbortSignal | undefined;
  /** The asks of the same answer, as the graph holds them. */
  readonly carried: readonly CarriedAsk[] | undefined;
}

interface Around extends CallAround {
  /** The calls that were asked for before this one. */
  readonly before: Promise<unknown>;
}

async function answer(run: AgentRun, ask: ToolAsk, { before, ...around }: Around): Promise<ToolMessage> {
  for (;;) {
    try {
      return outputMessage(ask, await run.call(ask, around));
    } catch (error) {
      if (mayBeTold(error)) return errorMessage(ask, error);
      const wait = waitOf(error);
      if (error instanceof HeldBackError) {
        // The call that it waited behind says why the graph ends, and is heard first: a node, or LangGraph, goes by the first.
        await before;
        if (wait !== undefined) interruptBehind();
        await new Promise((resolve) => setTimeout(resolve));
      }
      if (wait === undefined) throw error;
      interruptFor(wait);
    }
  }
}

/** Whether a call has ended for good, with an error that the model can do something about. */
function mayBeTold(error: unknown): error is Error {
  return (
    error instanceof ToolFailedError || error instanceof BadRequestError || error instanceof UnknownToolError
  );
}
