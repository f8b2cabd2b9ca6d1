import fc from "fast-check";
import type { DeclarationInput } from "#salvor/declarations/index.js";
import { toolOf, TOOLS } from "./model-tools.js";
import { failed, isIntent, suspension, type Call, type Json, type RunModel } from "./run-model.js";
import { observing, opening, type Actor, type Request, type World } from "./run-world.js";

export const DECLARED: readonly DeclarationInput[] = Object.entries(TOOLS).map(([name, tool]) => ({
  name,
  effect: tool.effect,
  trust_completion: tool.trusted,
  input_schema: {
    type: "object",
    required: [tool.key, tool.pinned].filter((field) => field !== undefined),
    properties: { bad: { const: false } },
  },
  ...(tool.receipt !== undefined && { output_schema: { type: "object", required: [...tool.receipt] } }),
  ...(tool.key !== undefined && { idempotency_key: [tool.key] }),
  ...(tool.pinned !== undefined && { require_equal: [tool.pinned] }),
}));

/** One request to be made of what a run has come to; `which` and `twist` choose among what makes sense there. */
export interface Step {
  readonly what:
    | "open"
    | "events"
    | "intent"
    | "complete"
    | "model-intent"
    | "model-complete"
    | "resolve"
    | "resume"
    | "abandon";
  readonly actor: Actor;
  readonly which: number;
  readonly twist: number;
}

export const OPEN: Step = { what: "open", actor: "ann", which: 0, twist: 0 };
export const START: Step = { what: "events", actor: "ann", which: 1, twist: 1 };

const weighted = <T>(...options: readonly (readonly [number, T])[]) =>
  fc.oneof(...options.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));

export const step: fc.Arbitrary<Step> = fc.record({
  what: weighted<Step["what"]>(
    [2, "open"],
    [6, "events"],
    [12, "intent"],
    [12, "complete"],
    [4, "model-intent"],
    [4, "model-complete"],
    [3, "resolve"],
    [2, "resume"],
    [1, "abandon"],
  ),
  actor: weighted<Actor>([6, "ann"], [2, "bob"], [3, "operator"]),
  which: fc.nat(1000),
  twist: fc.nat(1000),
});

/** A single request, two at once, or none: then the server is started again. */
export const turn: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 120, arbitrary: fc.tuple(step) },
  // Of two openings at once nobody could tell which was the last.
  {
    weight: 10,
    arbitrary: fc.tuple(
      step,
      step.filter(({ what }) => what !== "open"),
    ),
  },
  { weight: 1, arbitrary: fc.constant([]) },
);

const pick = <T>(options: readonly T[], choice: number): T => options[choice % options.length] as T;

const STARTED = { agent_def_hash: "a", input: 1 };

const KINDS: readonly (readonly [kind: string, payload: Json])[] = [
  ["NowObserved", { now: "2026-01-01T00:00:00Z" }],
  ["RandomObserved", { value: 7 }],
  ["SleepStarted", { until: "2026-01-01T00:00:00Z" }],
  ["SleepCompleted", {}],
  ["Resumed", { input: {} }],
  ["Suspended", { reason: "a person looks", input_schema: { type: "object" } }],
  ["BudgetExceeded", { budget: { kind: "steps", limit: 1 }, observed: 2 }],
  ["RunStarted", STARTED],
  ["RunCompleted", { output: null }],
  ["RunFailed", { error: "no" }],
];

/** Mostly one that may follow: a run is started, one that was suspended goes on, and few end early. */
function kindOf(model: RunModel, which: number): readonly [kind: string, payload: Json] {
  if (model.next === 0 && which % 4 > 0) return ["RunStarted", STARTED];
  if (model.parked !== undefined && which % 2 > 0) return ["Resumed", { input: {} }];
  return pick(which % 3 > 0 ? KINDS.slice(0, -2) : KINDS, which);
}

const CALLS: readonly Call[] = [
  ...[5, 7].map((amount_cents) => ({ tool: "refund_card", input: { order_id: "o", amount_cents } })),
  { tool: "refund_card", input: { order_id: "p", amount_cents: 5 } },
  { tool: "refund_card", input: { order_id: "p", amount_cents: 5, bad: true } },
  { tool: "pay_out", input: { iban: "DE1", amount_cents: 5 } },
  { tool: "charge_card", input: { cents: 1 } },
  { tool: "set_address", input: { customer: "c", street: "s" } },
  { tool: "set_address", input: { customer: "c", street: "t" } },
  { tool: "get_price", input: { sku: "a" } },
  { tool: "look_up", input: {} },
  { tool: "constructor", input: {} },
];

const HASHES = ["h", "i"];

const SAID = [
  { response: { text: "yes" }, usage: { input_tokens: 1, output_tokens: 2 } },
  { response: null, usage: { input_tokens: 0, output_tokens: 2 } },
];

/** Mostly one who may: else most requests would be refused for who made them. */
function actorOf({ what, actor, twist }: Step, world: World): Actor {
  if (what === "open" || twist % 4 === 0) return actor;
  if (what === "resolve" || what === "resume" || what === "abandon") return "operator";
  const driver = [...world.tokens].find(([, token]) => token === world.opened);
  return driver?.[0] ?? actor;
}

/** Mostly what may come next: else most requests would be refused for when they were made. */
function whatNext({ what, twist }: Step, { open, asking, parked, over }: RunModel): Step["what"] {
  if (twist % 5 === 0 || over) return what;
  const begins = what === "intent" || what === "model-intent";
  const ends = what === "complete" || what === "model-complete";
  if (open !== undefined && (begins || what === "events" || what === "model-complete")) return "complete";
  if (asking !== undefined && (begins || what === "events" || what === "complete")) return "model-complete";
  if (parked !== undefined && (begins || ends)) return "resume";
  if (open === undefined && what === "complete") return "intent";
  return asking === undefined && what === "model-complete" ? "model-intent" : what;
}

export function requestOf(given: Step, run: string, world: World): Request {
  const step = { ...given, what: whatNext(given, world.run) };
  const { what, which, twist } = step;
  const actor = actorOf(step, world);
  const model = world.run;
  const token = world.tokens.get(actor);
  const { next } = model;
  const intents = model.log.flatMap((entry, seq) => (isIntent(entry) ? [seq] : []));
  const seq = pick([next, next, next, next, next - 1, next + 1, ...intents], twist);
  switch (what) {
    case "open":
      return opening(actor, run);
    case "events": {
      const [kind, payload] = kindOf(model, which);
      const first = { seq: Math.max(0, seq), kind, payload };
      const again = model.log[next - 1];
      if (twist % 5 === 0 && again?.call === undefined && again !== undefined) {
        return observing(
          actor,
          token,
          run,
          [
            { seq: next - 1, kind: again.kind, payload: again.content ?? null },
            { ...first, seq: next },
          ].filter(({ kind: sent }) => !/^(Tool|Model)Call/.test(sent) && sent !== "RunAbandoned"),
        );
      }
      return observing(actor, token, run, [first]);
    }
    case "intent": {
      const at = Math.max(0, seq);
      const recorded = model.log[at]?.call;
      const earlier = model.log.flatMap((entry) => entry.call ?? []);
      const call =
        recorded !== undefined && which % 4 > 0
          ? recorded
          : pick(which % 3 === 0 && earlier.length > 0 ? earlier : CALLS, which);
      return {
        actor,
        endpoint: "client-tool-intent",
        body: { seq: at, ...call, effect: "read", idempotency_key: "mine" },
        judge: (now) => now.driving(token) ?? now.run.intent(at, call),
      };
    }
    case "complete": {
      const at = model.open ?? Math.max(0, pick([...intents, next - 1, next], twist));
      const [form, report, recorded] = reportOn(model.log[at]?.call, which, model.log[at + 1]?.content);
      return {
        actor,
        endpoint: "client-tool-completion",
        body: { seq: at, [form]: report },
        judge: (now) => now.driving(token) ?? now.run.complete(at, recorded, form),
      };
    }
    case "model-intent": {
      const at = Math.max(0, seq);
      const recorded = (model.log[at]?.content ?? null) as { readonly request_hash?: string } | null;
      const hash = which % 4 > 0 ? (recorded?.request_hash ?? HASHES[0]!) : pick(HASHES, which >> 2);
      return {
        actor,
        endpoint: "client-model-intent",
        // The runs are opened without record_prompts: no log holds a body.
        body: { seq: at, request_hash: hash, request_body: { prompt: "p" } },
        judge: (now) => now.driving(token) ?? now.run.modelIntent(at, hash),
      };
    }
    case "model-complete": {
      const at = model.asking ?? Math.max(0, pick([...intents, next - 1, next], twist));
      const recorded = model.log[at + 1];
      const said =
        which % 3 > 0 && recorded?.kind === "ModelCallCompleted"
          ? (recorded.content as (typeof SAID)[0])
          : pick(SAID, which);
      return {
        actor,
        endpoint: "client-model-completion",
        body: { seq: at, ...said },
        judge: (now) => now.driving(token) ?? now.run.modelCompletion(at, said),
      };
    }
    case "resolve": {
      const target = targetOf(model, twist);
      const notPerformed = which % 3 === 0;
      const receipt = receiptOf(model.log[model.open ?? 0]?.call, which % 4);
      const output = notPerformed ? failed("handler", "not in the ledger", 0) : receipt;
      return {
        actor,
        endpoint: "resolve",
        body: {
          seq: target,
          ...(notPerformed ? { not_performed: true, note: "not in the ledger" } : { output }),
        },
        judge: (world) =>
          world.deciding(actor) ??
          world.run.resolve(target, output, notPerformed ? "not_performed" : "output"),
      };
    }
    case "resume": {
      const target = targetOf(model, twist);
      const suspended = model.parked === "suspended" ? model.log.at(-3)?.call : undefined;
      const input = pick<Json>([{}, 5, receiptOf(suspended, 0), receiptOf(suspended, 0)], which);
      return {
        actor,
        endpoint: "resume",
        body: { seq: target, input },
        judge: (world) => world.deciding(actor) ?? world.run.resume(target, input),
      };
    }
    case "abandon": {
      const target = targetOf(model, twist);
      return {
        actor,
        endpoint: "abandon",
        body: { seq: target },
        judge: (world) => world.deciding(actor) ?? world.run.abandon(target),
      };
    }
  }
}

/** What a person says that they looked at: mostly what is there. */
function targetOf(model: RunModel, twist: number): number | undefined {
  const waits = model.open ?? model.asking ?? Math.max(0, model.next - 1);
  return pick([waits, undefined, waits, Math.max(0, waits - 1)], twist);
}

/** The answer of a call: 0 as it should be, 1 another, 2 with a lie, 3 without the receipt. */
function receiptOf(call: Call | undefined, variant: number): Json {
  const { receipt = [], pinned } = toolOf(call?.tool ?? "") ?? {};
  const fields = variant === 3 ? receipt.slice(1) : receipt;
  return Object.fromEntries(
    fields.map((field) =>
      field === pinned
        ? [field, variant === 2 ? 999 : (call?.input[field] ?? null)]
        : [field, variant === 1 ? "another" : "one"],
    ),
  );
}

/** A report: the form it takes, what is sent, and what it is recorded as. */
function reportOn(
  call: Call | undefined,
  which: number,
  recorded: Json | undefined,
): readonly ["output" | "error" | "suspend", Json, Json] {
  const variant = which % 12;
  if (variant === 4 || variant === 5 || variant === 6) {
    const kind = pick(["handler", "invalid_input", "output_serialization"], variant);
    return ["error", { message: "no", kind }, failed(kind, "no", 1)];
  }
  if (variant === 7 || variant === 10) {
    return ["suspend", { reason: "r", input_schema: { type: "object" } }, suspension("r")];
  }
  const output =
    variant === 8
      ? failed("handler", "smuggled", 1)
      : variant === 9 && recorded !== undefined
        ? recorded
        : receiptOf(call, variant < 4 ? variant : 0);
  return ["output", output, output];
}
