import { toolOf, type Tool } from "./model-tools.js";

/**
 * What the wire contract says about one client run, written down literally: a list of events and a few words on what each
 * request does to it. The test judges the server against it, so nothing here may come from the server.
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Status and error code; the code of a success is "". */
export type Verdict = readonly [status: number, code: string];

export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, Json>>;
}

export interface Entry {
  readonly kind: string;
  readonly call?: Call;
  /** The output of a completion, what was said of a model call, or the payload of what a client observed. */
  readonly content?: Json;
}

export const OK: Verdict = [200, ""];
export const DIVERGENCE: Verdict = [409, "divergence"];
export const WRONG_STATE: Verdict = [409, "wrong_state"];
export const BAD_REQUEST: Verdict = [400, "bad_request"];
const UNKNOWN_TOOL: Verdict = [404, "unknown_tool"];
const UNSETTLED: Verdict = [409, "needs_reconciliation"];
const FAILED: Verdict = [502, "tool_execution"];
const REFUSED: Verdict = [403, "client_completion_refused"];

export const failed = (kind: string, message: string, attempts: number): Json => ({
  __salvor_error: { is_error: true, kind, message, attempts },
});
export const suspension = (reason: string): Json => ({
  __salvor_suspend: { reason, input_schema: { type: "object" } },
});

export class RunModel {
  log: Entry[];
  /** Who holds an identity: the position, and the answer once it is settled. */
  #held: Map<string, { readonly seq: number; readonly answer?: Json }>;

  constructor(from?: RunModel) {
    this.log = [...(from?.log ?? [])];
    this.#held = new Map(from === undefined ? [] : from.#held);
  }

  /** Puts everything back to what it was: nothing of a refused request is written. */
  restore(before: RunModel): void {
    this.log = before.log;
    this.#held = before.#held;
  }

  get next(): number {
    return this.log.length;
  }

  /** The position of the tool's intent that the log ends at. */
  get open(): number | undefined {
    return this.log.at(-1)?.kind === "ToolCallRequested" ? this.next - 1 : undefined;
  }

  /** The position of the model's intent that the log ends at. */
  get asking(): number | undefined {
    return this.log.at(-1)?.kind === "ModelCallRequested" ? this.next - 1 : undefined;
  }

  get over(): boolean {
    return ["RunCompleted", "RunFailed", "RunAbandoned"].includes(this.log.at(-1)?.kind ?? "");
  }

  get parked(): "suspended" | "budget" | undefined {
    const last = this.log.at(-1)?.kind;
    return last === "Suspended" ? "suspended" : last === "BudgetExceeded" ? "budget" : undefined;
  }

  get asleep(): boolean {
    const last = this.log.findLast(({ kind }) => kind.startsWith("Sleep"));
    return last?.kind === "SleepStarted";
  }

  /** The tool whose call the run is suspended by. */
  get suspendedBy(): Tool | undefined {
    const call = this.log.at(-3)?.call;
    const isOfCall = isOnly(this.log.at(-2)?.content ?? null, "__salvor_suspend");
    return this.parked === "suspended" && isOfCall && call !== undefined ? toolOf(call.tool) : undefined;
  }

  /** What a client observed. */
  observe(seq: number, kind: string, content: Json): Verdict {
    const recorded = this.log[seq];
    if (recorded !== undefined) {
      const same = recorded.kind === kind && equal(recorded.content ?? null, content);
      return same ? OK : DIVERGENCE;
    }
    if (kind === "RunCompleted" || kind === "RunFailed") {
      if (seq === this.next && this.#leave(undefined) !== undefined) return WRONG_STATE;
    }
    if (!this.#mayFollow(seq, kind)) return DIVERGENCE;
    if (kind === "Resumed") this.#answerSuspended(content);
    this.log.push({ kind, content });
    return OK;
  }

  intent(seq: number, call: Call): Verdict {
    const recorded = this.log[seq];
    if (recorded !== undefined) {
      const { kind, call: other } = recorded;
      const same =
        kind === "ToolCallRequested" && other?.tool === call.tool && equal(other.input, call.input);
      return same && toolOf(call.tool)?.performs === undefined ? OK : DIVERGENCE;
    }
    const tool = toolOf(call.tool);
    if (tool === undefined || tool.performs !== undefined) return UNKNOWN_TOOL;
    if (call.input.bad === true) return BAD_REQUEST;
    const identity = identityOf(call);
    const holder = identity === undefined ? undefined : this.#held.get(identity);
    if (holder !== undefined && (holder.answer === undefined || judge(call, holder.answer) !== undefined)) {
      return DIVERGENCE;
    }
    if (!this.#mayFollow(seq, "ToolCallRequested")) return DIVERGENCE;
    this.log.push({ kind: "ToolCallRequested", call });
    if (holder?.answer !== undefined) this.log.push({ kind: "ToolCallCompleted", content: holder.answer });
    else if (identity !== undefined) this.#held.set(identity, { seq });
    return OK;
  }

  /** Whether the call at a position has an answer, and which: what a recorded intent is answered with. */
  answerAt(seq: number): Json | undefined {
    const [, completion, , resumed] = this.log.slice(seq, seq + 4);
    if (completion?.kind !== "ToolCallCompleted") return undefined;
    const { content = null } = completion;
    const wasResumed = isOnly(content, "__salvor_suspend") && resumed?.kind === "Resumed";
    return wasResumed ? ((resumed.content as { input: Json }).input ?? null) : content;
  }

  /** A client's report. `output` is what it would be recorded as. */
  complete(seq: number, output: Json, form: "output" | "error" | "suspend"): Verdict {
    const call = this.log[seq]?.call;
    const completion = call === undefined ? undefined : this.log[seq + 1];
    if (completion?.kind === "ToolCallCompleted") {
      return equal(completion.content ?? null, output) ? OK : DIVERGENCE;
    }
    if (call === undefined || seq !== this.open) return DIVERGENCE;
    const tool = toolOf(call.tool)!;
    if (!tool.trusted || tool.receipt === undefined) return REFUSED;
    if (form === "error" && kindOf(output) === "output_serialization" && tool.effect === "write") {
      return BAD_REQUEST;
    }
    const broken = form === "output" ? judge(call, output) : undefined;
    if (broken !== undefined) return broken === "pin" ? REFUSED : BAD_REQUEST;
    this.#settle(seq, call, output);
    if (form === "suspend") {
      this.log.push({ kind: "Suspended", content: (output as { __salvor_suspend: Json }).__salvor_suspend });
    }
    return OK;
  }

  /** A client asks a model: the position and the hash say which call it is. */
  modelIntent(seq: number, hash: string): Verdict {
    const recorded = this.log[seq];
    const content = { request_hash: hash };
    if (recorded !== undefined) {
      return recorded.kind === "ModelCallRequested" && equal(recorded.content ?? null, content)
        ? OK
        : DIVERGENCE;
    }
    if (!this.#mayFollow(seq, "ModelCallRequested")) return DIVERGENCE;
    this.log.push({ kind: "ModelCallRequested", content });
    return OK;
  }

  /** What the model is reported to have said: its response and its usage. */
  modelCompletion(seq: number, content: Json): Verdict {
    if (this.log[seq]?.kind !== "ModelCallRequested") return DIVERGENCE;
    const completion = this.log[seq + 1];
    if (completion?.kind === "ModelCallCompleted") {
      return equal(completion.content ?? null, content) ? OK : DIVERGENCE;
    }
    if (seq !== this.asking) return DIVERGENCE;
    this.log.push({ kind: "ModelCallCompleted", content });
    return OK;
  }

  /** A person's decision. `target` is the intent that they looked at. */
  resolve(target: number | undefined, output: Json, form: "output" | "not_performed"): Verdict {
    const seq = this.open;
    const call = seq === undefined ? undefined : this.log[seq]?.call;
    if (seq === undefined || call === undefined) return WRONG_STATE;
    const { effect, trusted, receipt, performs } = toolOf(call.tool)!;
    const closes = performs !== undefined || (trusted && receipt !== undefined);
    if (effect !== "write" && closes) return WRONG_STATE;
    if (target !== undefined && target !== seq) return WRONG_STATE;
    if (form === "output" && judge(call, output) !== undefined) return BAD_REQUEST;
    this.#settle(seq, call, output);
    return OK;
  }

  resume(target: number | undefined, input: Json): Verdict {
    const waits = this.#pending ?? (this.parked === undefined ? this.#abandonedCall() : this.next - 1);
    if (target !== undefined && target !== waits) return WRONG_STATE;
    if (this.over) return OK;
    const open = this.open === undefined ? undefined : this.log[this.open]?.call;
    if (open !== undefined && toolOf(open.tool)?.effect === "write") return UNSETTLED;
    if (this.parked === undefined) return WRONG_STATE;
    if (typeof input !== "object") return BAD_REQUEST;
    this.#answerSuspended({ input });
    this.log.push({ kind: "Resumed", content: { input } });
    return OK;
  }

  abandon(target: number | undefined): Verdict {
    if (this.over) return WRONG_STATE;
    const waits = this.#pending ?? (this.parked === undefined ? undefined : this.next - 1);
    if (target !== undefined && target !== waits) return WRONG_STATE;
    const call = this.open === undefined ? undefined : this.log[this.open]?.call;
    const write = call !== undefined && toolOf(call.tool)?.effect === "write";
    if (this.#leave(call) !== undefined) return WRONG_STATE;
    const content = write ? { unresolved_write: { seq: this.open!, tool: call.tool } } : {};
    this.log.push({ kind: "RunAbandoned", content });
    return OK;
  }

  /** The server is asked to perform a call. @param cut it is killed once the intent is durable. */
  toolStep(seq: number, call: Call, cut = false): Verdict {
    const recorded = this.log[seq];
    const tool = toolOf(call.tool);
    if (recorded !== undefined) {
      const same = recorded.call?.tool === call.tool && equal(recorded.call.input, call.input);
      if (!same || tool?.performs === undefined) return DIVERGENCE;
      const [, completion, , resumed] = this.log.slice(seq, seq + 4);
      if (completion?.kind === "ToolCallCompleted") {
        if (resumed?.kind === "Resumed" && isOnly(completion.content ?? null, "__salvor_suspend")) return OK;
        return kindOf(completion.content ?? null) === undefined ? OK : FAILED;
      }
      if (tool.effect === "write") return UNSETTLED;
      // An abandoned run takes nothing more.
      if (completion !== undefined) return DIVERGENCE;
      return this.#perform(seq, call, tool);
    }
    if (tool?.performs === undefined) return UNKNOWN_TOOL;
    if (tool.key !== undefined && call.input[tool.key] === undefined) return BAD_REQUEST;
    if (!this.#mayFollow(seq, "ToolCallRequested")) return DIVERGENCE;
    const identity = identityOf(call);
    const holder = identity === undefined ? undefined : this.#held.get(identity);
    if (
      holder !== undefined &&
      (holder.answer === undefined || !equal(this.log[holder.seq]!.call!.input, call.input))
    )
      return DIVERGENCE;
    this.log.push({ kind: "ToolCallRequested", call });
    if (holder?.answer !== undefined) {
      this.log.push({ kind: "ToolCallCompleted", content: holder.answer });
      return kindOf(holder.answer) === undefined ? OK : FAILED;
    }
    if (identity !== undefined) this.#held.set(identity, { seq });
    return cut ? OK : this.#perform(seq, call, tool);
  }

  #perform(seq: number, call: Call, { performs }: Tool): Verdict {
    if (performs === "unknown") return UNSETTLED;
    if (performs === "output") this.#settle(seq, call, { did: call.tool });
    else if (performs === "failure") this.#settle(seq, call, failed("handler", "declined", 1));
    else {
      this.#settle(seq, call, suspension("r"));
      this.log.push({ kind: "Suspended", content: { reason: "r", input_schema: { type: "object" } } });
    }
    return performs === "failure" ? FAILED : OK;
  }

  /** What becomes of the identity that an unfinished call of the server holds when the run ends: a write keeps the run from it. */
  #leave(open: Call | undefined): Verdict | undefined {
    const call = open ?? (this.suspendedBy === undefined ? undefined : this.log.at(-3)?.call);
    const tool = call === undefined ? undefined : toolOf(call.tool);
    const identity = call === undefined ? undefined : identityOf(call);
    if (tool?.performs === undefined || identity === undefined) return undefined;
    const holder = this.#held.get(identity);
    if (holder === undefined || holder.answer !== undefined) return undefined;
    if (tool.effect === "write") return WRONG_STATE;
    this.#held.delete(identity);
    return undefined;
  }

  /** The position of the intent that the log ends at. */
  get #pending(): number | undefined {
    return this.open ?? this.asking;
  }

  /** The call that an abandoned run still has open. */
  #abandonedCall(): number | undefined {
    return this.log.at(-1)?.kind === "RunAbandoned" && isIntent(this.log.at(-2)) ? this.next - 2 : undefined;
  }

  #mayFollow(seq: number, kind: string): boolean {
    if (seq !== this.next || this.over) return false;
    if (this.next === 0) return kind === "RunStarted";
    if (kind === "RunStarted" || this.#pending !== undefined) return false;
    if (kind === "SleepCompleted" && !this.asleep) return false;
    if (this.parked === undefined) return kind !== "Resumed";
    return ["Resumed", "RunCompleted", "RunFailed"].includes(kind);
  }

  #settle(seq: number, call: Call, output: Json): void {
    this.log.push({ kind: "ToolCallCompleted", content: output });
    const identity = identityOf(call);
    if (identity === undefined || isOnly(output, "__salvor_suspend")) return;
    if (["handler", "invalid_input"].includes(kindOf(output) ?? "")) this.#held.delete(identity);
    else this.#held.set(identity, { seq, answer: output });
  }

  /** The input that a run is resumed with is the answer of the call that suspended it. */
  #answerSuspended(resumed: Json): void {
    const call = this.log.at(-3)?.call;
    if (call === undefined || this.parked !== "suspended") return;
    if (!isOnly(this.log.at(-2)?.content ?? null, "__salvor_suspend")) return;
    const identity = identityOf(call);
    const { input } = resumed as { input: Json };
    if (identity !== undefined) this.#held.set(identity, { seq: this.next - 3, answer: input });
  }
}

/** Whether an entry opens a call: of a tool, or of a model. */
export function isIntent(entry: Entry | undefined): boolean {
  return entry?.kind === "ToolCallRequested" || entry?.kind === "ModelCallRequested";
}

function identityOf({ tool, input }: Call): string | undefined {
  const { key, effect } = toolOf(tool)!;
  return key === undefined || effect === "read" ? undefined : JSON.stringify([tool, input[key]]);
}

/** What is wrong with an output. */
function judge({ tool, input }: Call, output: Json): "reserved" | "schema" | "pin" | undefined {
  const { receipt = [], pinned } = toolOf(tool)!;
  if (isOnly(output, "__salvor_error") || isOnly(output, "__salvor_suspend")) return "reserved";
  const fields = output !== null && typeof output === "object" ? (output as Record<string, Json>) : {};
  if (receipt.some((field) => fields[field] === undefined)) return "schema";
  return pinned !== undefined && fields[pinned] !== input[pinned] ? "pin" : undefined;
}

function isOnly(value: Json, key: string): boolean {
  return value !== null && typeof value === "object" && Object.keys(value).join() === key;
}

function kindOf(output: Json): string | undefined {
  return isOnly(output, "__salvor_error")
    ? (output as { __salvor_error: { kind: string } }).__salvor_error.kind
    : undefined;
}

function equal(a: Json, b: Json): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: Json): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(sorted);
  const entries = Object.entries(value as Record<string, Json>).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}
