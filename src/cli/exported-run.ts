import { chainEnvelope, CHAIN_START } from "../log/chain.js";
import { PAYLOAD_SCHEMAS } from "../log/event-schemas.js";
import { EVENT_KINDS, isEventKind, type Envelope, type EventKind } from "../log/events.js";
import { applyEvent, NOT_STARTED } from "../log/fold.js";
import { judgeAppend } from "../log/guard.js";
import { parseJson } from "../log/parse-json.js";
import { isRandomValue, reviveEnvelope } from "../log/revive-envelope.js";
import { parseRunId } from "../log/run-id.js";
import type { JsonObject } from "../contract/json.js";
import { shape, type Shape } from "../server/shape.js";

/** A run as an export tells it, judged event by event. */
export interface ExportedRun {
  readonly run: string;
  readonly log: readonly Envelope[];
  /** The hash of the last event in the run's chain: equal on both sides, if nothing was changed on the way. */
  readonly tip: string;
}

/** A line of an export that cannot be taken. */
export class ExportRefused extends Error {
  override readonly name = "ExportRefused";
  readonly code = "export_refused";
  constructor(where: string, line: number, detail: string, options?: ErrorOptions) {
    super(`${where}, line ${line}: ${detail}`, options);
  }
}

const ENVELOPE = shape<JsonObject>({
  type: "object",
  required: ["run_id", "seq", "schema_version", "recorded_at", "event"],
  properties: {
    run_id: { type: "string" },
    seq: { type: "integer", minimum: 0 },
    schema_version: { type: "integer" },
    recorded_at: { type: "string", format: "date-time" },
    event: {
      type: "object",
      required: ["kind", "payload"],
      properties: { kind: { type: "string" }, payload: { type: "object" } },
    },
  },
});

const PAYLOADS = Object.fromEntries(
  EVENT_KINDS.map((kind) => [kind, shape(PAYLOAD_SCHEMAS[kind])]),
) as Readonly<Record<EventKind, Shape<JsonObject>>>;

/** An export holds what a server recorded, which may nest a little deeper than what it was sent. */
const MAX_DEPTH = 200;

/** The hash of the last event of a log. */
export function tipOf(log: readonly Envelope[]): string {
  return log.reduce(chainEnvelope, CHAIN_START);
}

/**
 * Reads the lines of an export: whole runs, one after the other. Every event is held to its shape and to the append guard,
 * as when it was recorded first.
 *
 * @param where names the file in a refusal.
 * @throws {@link ExportRefused} naming the line.
 */
export function readExport(text: string, where: string): readonly ExportedRun[] {
  const runs = new Map<string, Envelope[]>();
  let state = NOT_STARTED;
  let current: string | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const refuse = (detail: string, cause?: unknown): ExportRefused =>
      new ExportRefused(where, index + 1, detail, { cause });
    let envelope: Envelope;
    try {
      envelope = readEnvelope(line);
    } catch (cause) {
      throw refuse(cause instanceof Error ? cause.message : String(cause), cause);
    }
    const run = envelope.run_id;
    if (run !== current) {
      if (runs.has(run))
        throw refuse(`run ${run} goes on after another one began: an export holds whole runs`);
      runs.set(run, []);
      state = NOT_STARTED;
      current = run;
    }
    const refusal = judgeAppend(run, state, envelope);
    if (refusal !== null) throw refuse(`run ${run}: ${refusal.message}`);
    state = applyEvent(state, envelope);
    runs.get(run)?.push(envelope);
  }
  return [...runs].map(([run, log]) => ({ run, log, tip: tipOf(log) }));
}

function readEnvelope(line: string): Envelope {
  const value = ENVELOPE.check(parseJson(line, { u64At: isRandomValue, maxDepth: MAX_DEPTH }), "the event");
  const run = parseRunId(value["run_id"]);
  if (run === undefined || run !== value["run_id"])
    throw new TypeError("run_id is not a lower-case hyphenated UUID");
  const { kind, payload } = value["event"] as { kind: string; payload: JsonObject };
  if (!isEventKind(kind)) throw new TypeError(`this version does not know the kind ${JSON.stringify(kind)}`);
  const envelope = reviveEnvelope(value);
  const { value: digits } = envelope.event.payload as { value?: unknown };
  if ((typeof digits === "bigint") !== (kind === "RandomObserved")) {
    throw new TypeError("only RandomObserved has an unsigned 64-bit integer as its value, and must have one");
  }
  if (kind !== "RandomObserved") PAYLOADS[kind].check(payload, `the payload of ${kind}`);
  return envelope;
}
