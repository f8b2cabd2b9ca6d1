import { isEffect } from "../contract/effect.js";
import { ownValue, type JsonValue } from "../contract/json.js";
import type { ModelReply } from "./client-options.js";
import type { Envelope } from "../log/events.js";
import { reviveEnvelope } from "../log/revive-envelope.js";
import type {
  AbandonAnswer,
  CapabilitiesAnswer,
  DeclaredClientTool,
  HostedTool,
  IntentAnswer,
  ModelIntentAnswer,
  OpenedRun,
  ReplayAnswer,
  ResolveAnswer,
  ResumeAnswer,
  RunAnswer,
  RunPage,
  RunStreamEnd,
  ToolStepAnswer,
} from "./answers.js";
import {
  COUNT,
  FLAG,
  LIST,
  OBJECT,
  SCHEMA,
  ShapeProblem,
  TEXT,
  TEXT_OR_NULL,
  U64,
  listOf,
  only,
  shaped,
  type Kind,
} from "./shape.js";

// Each reader answers what a 2xx body says, or throws a ShapeProblem. They check what this client decides by: an answer
// that lacks `settled` must never lead to an execution, and one about another call than the one asked about (of a confused
// proxy) must neither lead to one nor pass for an acknowledgement. What else a server adds is kept.

const EFFECT: Kind = [isEffect, "an effect"];

export function readClientTools(body: JsonValue): readonly DeclaredClientTool[] {
  return listOf(shaped(body, "answer", { client_tools: LIST }), "client_tools", (item) => {
    const members = { name: TEXT, effect: EFFECT, input_schema: SCHEMA, trust_completion: FLAG };
    const tool = shaped(item, "client tool", members);
    for (const name of ["require_equal", "idempotency_key"]) {
      if (ownValue(tool, name) !== undefined) shaped(tool, "client tool", { [name]: LIST });
    }
    return tool as unknown as DeclaredClientTool;
  });
}

export function readHostedTools(body: JsonValue): readonly HostedTool[] {
  return listOf(shaped(body, "answer", { hosted_tools: LIST }), "hosted_tools", (item) => {
    const members = { name: TEXT, description: TEXT, effect: EFFECT, input_schema: OBJECT };
    const tool = shaped(item, "hosted tool", members);
    if (ownValue(tool, "output_schema") !== undefined) shaped(tool, "hosted tool", { output_schema: OBJECT });
    return tool as unknown as HostedTool;
  });
}

export function readAgents(body: JsonValue): readonly JsonValue[] {
  return listOf(shaped(body, "answer", { agents: LIST }), "agents", (agent) => agent);
}

/** @param asked the run that was asked for, where one was. */
export function readOpened(body: JsonValue, status: number, asked?: string): OpenedRun {
  const run = asked === undefined ? TEXT : only(asked.toLowerCase());
  const answer = shaped(body, "answer", { run, drive_token: TEXT, log: LIST }) as unknown as OpenedRun;
  return { ...answer, log: readLog(body, answer.run), fresh: status === 201 };
}

export function readLog(body: JsonValue, run: string): readonly Envelope[] {
  return listOf(shaped(body, "answer", { log: LIST }), "log", (item) => {
    const envelope = readEnvelope(item);
    if (envelope.run_id !== run.toLowerCase()) throw new ShapeProblem(`answer.log is not that of run ${run}`);
    return envelope;
  });
}

export function readAppended(body: JsonValue, events: readonly Envelope[]): readonly number[] {
  const appended = listOf(shaped(body, "answer", { appended: LIST }), "appended", (seq) => seq);
  if (appended.length !== events.length || events.some(({ seq }, at) => appended[at] !== seq)) {
    throw new ShapeProblem("answer.appended is not the positions that were sent");
  }
  return appended as readonly number[];
}

export function readIntent(body: JsonValue, seq: number): IntentAnswer {
  const members = { seq: only(seq), idempotency_key: TEXT_OR_NULL, effect: EFFECT, settled: FLAG };
  const answer = shaped(body, "answer", members);
  if (answer["settled"] === true && ownValue(answer, "output") === undefined) {
    throw new ShapeProblem("answer.output is missing although answer.settled is true");
  }
  return answer as unknown as IntentAnswer;
}

export function readModelIntent(body: JsonValue, seq: number): ModelIntentAnswer {
  const answer = shaped(body, "answer", { seq: only(seq), settled: FLAG });
  if (answer["settled"] === true) {
    shaped(answer, "answer", { usage: OBJECT });
    if (ownValue(answer, "response") === undefined) {
      throw new ShapeProblem("answer.response is missing although answer.settled is true");
    }
  }
  return answer as unknown as ModelIntentAnswer;
}

export function readCompleted(body: JsonValue, seq: number): number {
  shaped(body, "answer", { seq: only(seq), completed: only(true) });
  return seq;
}

export function readToolStep(body: JsonValue): ToolStepAnswer {
  const answer = shaped(body, "answer", {});
  if (ownValue(answer, "output") === undefined) {
    const { suspended } = shaped(answer, "answer", { suspended: OBJECT });
    shaped(suspended ?? null, "suspended", { reason: TEXT, input_schema: SCHEMA });
  }
  return answer as unknown as ToolStepAnswer;
}

export function readModelReply(body: JsonValue): ModelReply {
  const answer = shaped(body, "answer", { usage: OBJECT });
  if (ownValue(answer, "response") === undefined) throw new ShapeProblem("answer.response is missing");
  return answer as unknown as ModelReply;
}

export function readReplay(body: JsonValue): ReplayAnswer {
  const answer = shaped(body, "answer", { status: OBJECT, usage: OBJECT, next_seq: COUNT });
  if (ownValue(answer, "pending") === undefined) throw new ShapeProblem("answer.pending is missing");
  return answer as unknown as ReplayAnswer;
}

export function readStreamEnd(body: JsonValue): RunStreamEnd {
  return shaped(body, "end", { status: OBJECT }) as unknown as RunStreamEnd;
}

export function readResolved(body: JsonValue): ResolveAnswer {
  return shaped(body, "answer", { run: TEXT, resolved: only(true) }) as unknown as ResolveAnswer;
}

export function readResumed(body: JsonValue): ResumeAnswer {
  const members = { run: TEXT, outcome: TEXT, status: OBJECT };
  return shaped(body, "answer", members) as unknown as ResumeAnswer;
}

export function readAbandoned(body: JsonValue): AbandonAnswer {
  const members = { run: TEXT, abandoned: only(true), appended_seq: COUNT };
  return shaped(body, "answer", members) as unknown as AbandonAnswer;
}

export function readRuns(body: JsonValue): RunPage {
  const page = shaped(body, "answer", { runs: LIST });
  listOf(page, "runs", (item) => shaped(item, "run", { run: TEXT, event_count: COUNT }));
  return page as unknown as RunPage;
}

export function readRun(body: JsonValue): RunAnswer {
  const answer = shaped(body, "answer", { run: TEXT, status: OBJECT, event_count: COUNT, usage: OBJECT });
  if (ownValue(answer, "pending") === undefined) throw new ShapeProblem("answer.pending is missing");
  return answer as unknown as RunAnswer;
}

export function readCapabilities(body: JsonValue): CapabilitiesAnswer {
  const answer = shaped(body, "answer", { capabilities: OBJECT, server: OBJECT });
  return answer as unknown as CapabilitiesAnswer;
}

export function readEnvelope(value: JsonValue): Envelope {
  const envelope = shaped(value, "envelope", { run_id: TEXT, seq: COUNT, recorded_at: TEXT, event: OBJECT });
  const event = shaped(envelope["event"] ?? null, "event", { kind: TEXT, payload: OBJECT });
  if (event["kind"] === "RandomObserved") shaped(event["payload"] ?? null, "payload", { value: U64 });
  return reviveEnvelope(envelope);
}
