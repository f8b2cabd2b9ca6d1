import type { Answer, TestServer } from "../support/test-server.js";
import { RunModel, type Json, type Verdict } from "./run-model.js";

export const OPERATOR = "operator-secret";

export type Actor = "ann" | "bob" | "operator";

/** A run, and who may drive it. */
export class World {
  readonly run: RunModel;
  /** How often the run was opened; the drive token of the last time is the current one. */
  opened: number;
  /** Which opening an actor has a token of. */
  readonly tokens: Map<Actor, number>;

  constructor(from?: World) {
    this.run = new RunModel(from?.run);
    this.opened = from?.opened ?? 0;
    this.tokens = new Map(from?.tokens);
  }

  /** What stands between one who presents the token of an opening and an endpoint of drivers. */
  driving(token: number | undefined): Verdict | undefined {
    if (this.opened === 0) return [404, "unknown_run"];
    if (token === undefined) return [401, "missing_drive_token"];
    return token === this.opened ? undefined : [403, "invalid_drive_token"];
  }

  /** What stands between an actor and a decision. */
  deciding(actor: Actor): Verdict | undefined {
    if (actor !== "operator") return [403, "operator_required"];
    return this.run.next === 0 ? [404, "unknown_run"] : undefined;
  }
}

/** A request that was settled on: what is sent, and what the contract says about it. */
export interface Request {
  readonly actor: Actor;
  /** Behind the run's path; "" opens the run. */
  readonly endpoint: string;
  readonly body: Readonly<Record<string, Json | undefined>>;
  readonly judge: (world: World) => Verdict;
}

const DECISIONS = new Set(["resolve", "resume", "abandon"]);

/** Sends a request as its actor would, with the newest drive token that they were given. */
export async function send(
  server: TestServer,
  run: string,
  tokens: Map<Actor, string>,
  { actor, endpoint, body }: Request,
): Promise<Answer> {
  const drive = tokens.get(actor);
  const answer = await server.post(pathOf(run, endpoint), body, {
    ...(actor === "operator" && { bearer: OPERATOR }),
    ...(drive !== undefined && { drive }),
  });
  if (endpoint === "" && answer.status < 300) tokens.set(actor, answer.json.drive_token as string);
  return answer;
}

export function pathOf(run: string, endpoint: string): string {
  if (endpoint === "") return "/v1/client-runs";
  return DECISIONS.has(endpoint) ? `/v1/runs/${run}/${endpoint}` : `/v1/client-runs/${run}/${endpoint}`;
}

export function verdictOf({ status, json }: Answer): Verdict {
  return [status, status < 300 ? "" : (json.error.code as string)];
}

/** Opening a run takes it over from whoever drove it. */
export function opening(actor: Actor, run: string): Request {
  return {
    actor,
    endpoint: "",
    body: { run_id: run.toUpperCase() },
    judge: (world) => {
      world.opened += 1;
      world.tokens.set(actor, world.opened);
      return [world.opened === 1 ? 201 : 200, ""];
    },
  };
}

/** Whether an event ends a run in which a suspended write waits for a person. */
function hidesWrite(
  run: RunModel,
  first: { readonly seq: number; readonly kind: string } | undefined,
): boolean {
  const ends = first?.kind === "RunCompleted" || first?.kind === "RunFailed";
  return ends && first.seq >= run.next && run.suspendedBy?.effect === "write";
}

/** Events that a client observed, in one append. */
export function observing(
  actor: Actor,
  token: number | undefined,
  run: string,
  events: readonly { readonly seq: number; readonly kind: string; readonly payload: Json }[],
): Request {
  const envelopes = events.map(({ seq, kind, payload }) => ({
    run_id: run,
    seq,
    schema_version: 1,
    event: { kind, payload },
  }));
  return {
    actor,
    endpoint: "events",
    body: { events: envelopes },
    judge: (world) => {
      const stopped = world.driving(token);
      if (stopped !== undefined) return stopped;
      if (actor !== "operator" && events.some(({ kind }) => kind === "Resumed")) {
        return [403, "operator_required"];
      }
      const before = new RunModel(world.run);
      if (actor !== "operator" && hidesWrite(world.run, events[0])) return [403, "operator_required"];
      for (const { seq, kind, payload } of events) {
        const verdict = world.run.observe(seq, kind, payload);
        if (verdict[0] === 200) continue;
        world.run.restore(before);
        return verdict;
      }
      return [200, ""];
    },
  };
}
