import { isJsonObject, ownValue, type JsonValue } from "../contract/json.js";
import { isFailureOutput, isSuspensionOutput } from "../contract/reserved.js";
import type { EventOf, Envelope, RunEvent } from "../log/events.js";
import { printable, printableJson, shortKey } from "./printable.js";
import type { Output } from "./terminal.js";

/** How much of a value a line shows; `--json` shows all of it. */
const SHOWN = 160;

type ToolIntent = EventOf<"ToolCallRequested">;

/** The tool intents of a log by position: a completion names its tool through them. */
export type ToolIntents = ReadonlyMap<number, ToolIntent>;

/** One event as a line of a story: its time, its position in `width` columns, and what it says. */
export function eventLine(
  { recorded_at: at, seq, event }: Envelope,
  intents: ToolIntents,
  { paint }: Pick<Output, "paint">,
  width = 4,
): string {
  return `${paint("dim", printable(at))}  ${`#${seq}`.padStart(width)}  ${eventWords(event, intents)}`;
}

/**
 * What an event says, in one line of words. Everything that a client could have written is made safe to print.
 *
 * @param toolIntents the tool intents of the same log so far, by position: a completion names its tool through them.
 */
export function eventWords(event: RunEvent, toolIntents: ToolIntents): string {
  try {
    return wordsOf(event, toolIntents);
  } catch {
    // A stored payload may lack what its kind promises; the story goes on with what is there.
    return unknownWords(event);
  }
}

function wordsOf(event: RunEvent, toolIntents: ToolIntents): string {
  switch (event.kind) {
    case "RunStarted":
      return `the run starts with input ${value(event.payload.input)}${labels(event.payload.labels)}`;
    case "ModelCallRequested":
      return `a model is asked (request ${shortKey(event.payload.request_hash)}, ${performer(event.payload)})`;
    case "ModelCallCompleted": {
      const { input_tokens: input, output_tokens: output } = event.payload.usage;
      return `the model answers (${input} tokens in, ${output} out): ${value(event.payload.response)}`;
    }
    case "ToolCallRequested":
      return `${printable(event.payload.tool)} is asked for with ${value(event.payload.input)} (${terms(event)})`;
    case "ToolCallCompleted":
      return completionWords(event, toolIntents.get(event.payload.seq));
    case "NowObserved":
      return `the time is read: ${printable(event.payload.now)}`;
    case "RandomObserved":
      return `a random number is drawn: ${String(event.payload.value)}`;
    case "Suspended":
      return `the run is suspended: ${printable(event.payload.reason)}`;
    case "Resumed":
      return `the run is resumed with ${value(event.payload.input)}`;
    case "BudgetExceeded": {
      const { budget, observed } = event.payload;
      return `the budget is exceeded: ${observed} of ${budget.limit} ${printable(budget.kind)}`;
    }
    case "SleepStarted":
      return `the run sleeps until ${printable(event.payload.until)}`;
    case "SleepCompleted":
      return "the run wakes up";
    case "RunCompleted":
      return `the run is completed with ${value(event.payload.output)}`;
    case "RunFailed":
      return `the run has failed: ${printable(event.payload.error)}`;
    case "RunAbandoned":
      return abandonWords(event);
    default:
      return unknownWords(event);
  }
}

/** The {@link ToolIntents} of a log. */
export function toolIntentsOf(log: readonly Envelope[]): ToolIntents {
  const found = new Map<number, ToolIntent>();
  for (const { seq, event } of log) if (event.kind === "ToolCallRequested") found.set(seq, event);
  return found;
}

function completionWords({ payload }: EventOf<"ToolCallCompleted">, intent: ToolIntent | undefined): string {
  const tool = `${intent === undefined ? "a call" : printable(intent.payload.tool)} #${payload.seq}`;
  const { deduplicated_from: from, resolved_by: by, output } = payload;
  const who = [
    ...(intent === undefined ? [] : [intent.payload.effect]),
    ...(from === undefined
      ? []
      : [`answered from run ${printable(from.run_id)} #${from.seq}, not performed again`]),
    ...(by === undefined
      ? intent === undefined || from !== undefined
        ? []
        : [performer(intent.payload)]
      : [`settled by ${by.operator === undefined ? "a person" : printable(by.operator)}`]),
    ...(by?.override === true ? ["schema and pins set aside"] : []),
    ...(by?.note === undefined ? [] : [`note: ${printable(by.note)}`]),
  ].join(", ");
  return `${tool} ${resultWords(output, by?.not_performed === true)}${who === "" ? "" : ` (${who})`}`;
}

function resultWords(output: JsonValue, notPerformed: boolean): string {
  if (notPerformed) return "was not performed";
  if (isFailureOutput(output)) {
    const { kind, message, attempts } = output.__salvor_error;
    return `failed (${printable(kind)}, ${attempts} ${attempts === 1 ? "attempt" : "attempts"}): ${printable(message)}`;
  }
  if (isSuspensionOutput(output)) return `waits for an answer: ${printable(output.__salvor_suspend.reason)}`;
  return `answers ${value(output)}`;
}

function abandonWords({ payload }: EventOf<"RunAbandoned">): string {
  const why = payload.reason === undefined ? "" : `: ${printable(payload.reason)}`;
  const write = payload.unresolved_write;
  const left = write === undefined ? "" : ` (${printable(write.tool)} #${write.seq} was never settled)`;
  return `the run is abandoned${why}${left}`;
}

function terms({ payload }: ToolIntent): string {
  const key = payload.idempotency_key === null ? "no key" : `key ${shortKey(payload.idempotency_key)}`;
  return `${payload.effect}, ${key}, ${performer(payload)}`;
}

function performer({ performed_by: by }: { readonly performed_by?: "client" }): string {
  return by === "client" ? "by the client" : "by this server";
}

function labels(found: Readonly<Record<string, string>> | undefined): string {
  const entries = Object.entries(found ?? {});
  return entries.length === 0
    ? ""
    : `, labelled ${entries.map(([k, v]) => printable(`${k}=${v}`)).join(" ")}`;
}

/** A stored log may hold a kind that this version does not know. */
function unknownWords(event: unknown): string {
  if (!isJsonObject(event)) return "an event that this version cannot read";
  return `${value(ownValue(event, "kind") ?? null)} ${value(ownValue(event, "payload") ?? null)}`;
}

function value(json: JsonValue): string {
  return printableJson(json, SHOWN);
}
