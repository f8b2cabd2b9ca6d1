import fc from "fast-check";
import { RunModel, BAD_REQUEST, isIntent, type Call, type Json, type Verdict } from "../server/run-model.js";
import { requestOf, step, type Step } from "../server/run-steps.js";
import { observing, type Actor, type Request, type World } from "../server/run-world.js";

/** What is asked of a run: as in one server's property, or of what only a spawned server is asked. */
export type FuzzStep =
  | { readonly what: "step"; readonly step: Step }
  | { readonly what: "tool-step"; readonly step: Step }
  | { readonly what: "steps"; readonly step: Step; readonly then: Step };

/** What is asked at once of some runs, beside what is asked of the server, and whether it is killed meanwhile. */
export interface FuzzTurn {
  readonly asked: readonly { readonly run: number; readonly step: FuzzStep }[];
  readonly aside: readonly { readonly what: number; readonly run: number; readonly body: unknown }[];
  /** After how many answers the server is killed. */
  readonly killAfter: number | undefined;
}

export const RUNS = 3;

const fuzzStep: fc.Arbitrary<FuzzStep> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant("step" as const), step }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant("tool-step" as const), step }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant("steps" as const), step, then: step }) },
);

export const fuzzTurn: fc.Arbitrary<FuzzTurn> = fc.record({
  asked: fc.array(fc.record({ run: fc.nat(RUNS - 1), step: fuzzStep }), { minLength: 1, maxLength: 4 }),
  aside: fc.array(
    fc.record({ what: fc.nat(1000), run: fc.nat(RUNS - 1), body: fc.jsonValue({ maxDepth: 3 }) }),
    {
      maxLength: 2,
    },
  ),
  killAfter: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(2) }),
});

/** A request whose answer may be lost, and what may have become of it then, besides nothing and all. */
export interface FuzzRequest extends Request {
  readonly cut?: (world: World) => Verdict;
  /** What it holds, where its endpoint does not say that. */
  readonly kind?: string;
}

export function fuzzRequest(asked: FuzzStep, run: string, world: World): FuzzRequest {
  if (asked.what === "step") return requestOf(asked.step, run, world);
  return asked.what === "tool-step"
    ? toolStep(asked.step, run, world)
    : steps(asked.step, asked.then, run, world);
}

const pick = <T>(options: readonly T[], choice: number): T => options[choice % options.length] as T;

const hostedCalls = (run: string): readonly Call[] => [
  { tool: "send", input: { to: "a" } },
  ...["a", "b"].map((order) => ({ tool: "pay", input: { order: `${run} ${order}` } })),
  { tool: "pay", input: { order: `${run} a`, cents: 5 } },
  { tool: "pay", input: {} },
  { tool: "look", input: { q: "a" } },
  { tool: "set", input: { order: `${run} a` } },
  { tool: "decline", input: { order: `${run} a` } },
  { tool: "vanish", input: { order: `${run} a` } },
  ...["a", "b"].map((order) => ({ tool: "ask", input: { order: `${run} ${order}` } })),
  { tool: "constructor", input: {} },
  { tool: "charge_card", input: { cents: 1 } },
];

function driverOf(step: Step, world: World) {
  const driver = [...world.tokens].find(([, token]) => token === world.opened);
  return step.twist % 4 === 0 ? step.actor : (driver?.[0] ?? step.actor);
}

function toolStep(given: Step, run: string, world: World): FuzzRequest {
  const { which, twist } = given;
  const actor = driverOf(given, world);
  const token = world.tokens.get(actor);
  const model = world.run;
  const intents = model.log.flatMap(({ call }, seq) => (call === undefined ? [] : [seq]));
  const seq = pick([model.next, model.next, model.open ?? model.next, model.next + 1, ...intents], twist);
  const recorded = model.log[seq]?.call;
  const call = recorded !== undefined && which % 4 > 0 ? recorded : pick(hostedCalls(run), which);
  return {
    actor,
    endpoint: "tool-step",
    body: { seq, ...call },
    judge: (now) => now.driving(token) ?? now.run.toolStep(seq, call),
    cut: (now) => now.driving(token) ?? now.run.toolStep(seq, call, true),
  };
}

const FIELD: Readonly<Record<string, string>> = {
  "client-tool-intent": "tool_intent",
  "client-tool-completion": "tool_completion",
  "client-model-intent": "model_intent",
  "client-model-completion": "model_completion",
};

/** Two steps in one request: one closes a call or observes something, the next is made as if that had been done. */
function steps(first: Step, second: Step, run: string, world: World): FuzzRequest {
  const actor = driverOf(first, world);
  const token = world.tokens.get(actor);
  const planned = planOf(first, actor, run, world);
  const after = new (world.constructor as new (from: World) => World)(world);
  planned.judge(after);
  const next = planOf(second, actor, run, after);
  const both = [planned, next];
  return {
    actor,
    endpoint: "steps",
    body: { steps: both.map(sentAs) },
    judge: (now) => now.driving(token) ?? refusesResumed(actor, both) ?? judgeBoth(now, both),
    kind: both.map(nameOf).join("+"),
  };
}

/** A step that may stand in a batch, made by whoever sends the batch. */
function planOf(step: Step, actor: Step["actor"], run: string, world: World): Request {
  const may: readonly Step["what"][] = ["events", "intent", "complete", "model-intent", "model-complete"];
  const what = may.includes(step.what) ? step.what : pick(may, step.which);
  // Twists of what may come next, from whoever drives: most batches would be refused anyway.
  const request = requestOf({ ...step, what, actor, twist: 1 + (step.twist % 3) }, run, world);
  const sent = sentOf(request);
  if (request.endpoint in FIELD || (request.endpoint === "events" && sent.length === 1)) return request;
  // Nobody resumes a run in steps but by the event itself.
  if (request.endpoint === "resume") {
    const { next } = world.run;
    const resumed = { seq: next, kind: "Resumed", payload: { input: request.body.input ?? {} } };
    return observing(actor, world.tokens.get(actor), run, [resumed]);
  }
  return requestOf({ ...step, what: "intent", actor, twist: 2, which: 5 }, run, world);
}

interface SentEvent {
  readonly event: { readonly kind: string };
}
const sentOf = ({ body }: Request): readonly SentEvent[] =>
  (body.events ?? []) as unknown as readonly SentEvent[];
const isResumed = ({ event }: SentEvent): boolean => event.kind === "Resumed";

function nameOf(request: Request): string {
  return FIELD[request.endpoint] ?? sentOf(request)[0]?.event.kind ?? "";
}

/** Who may not resume a run does not in steps either: that is judged before any of them is applied. */
function refusesResumed(actor: Actor, both: readonly Request[]): Verdict | undefined {
  if (actor === "operator" || !both.some((request) => sentOf(request).some(isResumed))) return undefined;
  return [403, "operator_required"];
}

function sentAs(request: Request): Json {
  const field = FIELD[request.endpoint];
  return (field === undefined ? { event: sentOf(request)[0] } : { [field]: request.body }) as unknown as Json;
}

function judgeBoth(world: World, both: readonly Request[]): Verdict {
  const before = new RunModel(world.run);
  const opened = world.run.next;
  for (const request of both) {
    const seq = request.body.seq as number;
    const isOfThis =
      request.endpoint.endsWith("-completion") && seq >= opened && isIntent(world.run.log[seq]);
    const verdict = isOfThis ? BAD_REQUEST : request.judge(world);
    if (verdict[0] === 200) continue;
    world.run.restore(before);
    return verdict;
  }
  return [200, ""];
}
