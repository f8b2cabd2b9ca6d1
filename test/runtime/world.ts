import { createValidator, TypedTool, type CallOutcome, type DynTool, type Effect } from "#salvor/index.js";
import type { ToolCtx, ToolOutcome } from "#salvor/index.js";
import type { JsonObject, JsonValue } from "#salvor/contract/json.js";
import type { Envelope, EventKind, Payloads } from "#salvor/log/events.js";
import { holds } from "#salvor/log/events.js";
import { Recorder, type RunTools } from "#salvor/runtime/index.js";
import type { EventStore } from "#salvor/store/index.js";
import { MemoryDisk } from "../store/disk/memory-disk.js";
import { Random } from "../store/disk/random.js";
import { sessionOn } from "../store/disk/sessions.js";

export const START = { agentDefHash: "sha256:program", input: { ticket: 7 } };
export const NOW = "2026-03-04T05:06:07.008Z";

/** A real store whose disk is in memory. */
export function memoryStore(): Promise<EventStore> {
  return sessionOn(new MemoryDisk(), new Random(1)).open();
}

/** A recorder whose clock stands still. */
export function stillRecorder(store: EventStore): Recorder {
  return new Recorder(store, { now: () => new Date(NOW) });
}

type Call = (ctx: ToolCtx, input: JsonObject) => JsonValue | ToolOutcome<unknown> | Promise<JsonValue>;

export interface ToolShape {
  readonly key?: string;
  readonly timeoutMs?: number;
  readonly inputSchema?: JsonObject;
  readonly outputSchema?: JsonObject;
}

const validator = createValidator();

export function tool(name: string, effect: Effect, call: Call, shape: ToolShape = {}): DynTool {
  const { key, timeoutMs, inputSchema = { type: "object" }, outputSchema } = shape;
  return new TypedTool<JsonObject, unknown>(
    { call, ...(timeoutMs !== undefined && { timeoutMs }) },
    {
      name,
      description: name,
      effect,
      inputSchema,
      ...(outputSchema !== undefined && { outputSchema }),
      ...(key !== undefined && { idempotencyKey: key }),
    },
    validator,
  );
}

/** A tool that nobody judges but itself. */
export function rawTool(name: string, effect: Effect, callJson: () => Promise<CallOutcome>): DynTool {
  return { name, description: name, effect, inputSchema: {}, callJson };
}

export function toolsOf(...tools: readonly DynTool[]): RunTools {
  const byName = new Map(tools.map((each) => [each.name, each]));
  return { get: (name) => byName.get(name), names: () => [...byName.keys()] };
}

/** A clock that makes every wait an instant, and remembers them. */
export function instant(random = 1) {
  const waits: number[] = [];
  const wait = (ms: number): Promise<void> => {
    waits.push(ms);
    return Promise.resolve();
  };
  return { waits, timing: { wait, random: () => random } };
}

export function kinds(log: readonly Envelope[]): readonly string[] {
  return log.map(({ event }) => event.kind);
}

/** The payload at a position, of a kind that it has to be. */
export async function payloadAt<K extends EventKind>(
  store: EventStore,
  run: string,
  seq: number,
  kind: K,
): Promise<Payloads[K]> {
  const [envelope] = await store.readLog(run, seq, 1);
  if (!holds(envelope, kind))
    throw new Error(`position ${seq} holds ${String(envelope?.event.kind)}, not ${kind}`);
  return envelope.event.payload as Payloads[K];
}

/** Something to wait for that a test opens. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    opened,
    open: () => {
      open();
    },
  };
}
