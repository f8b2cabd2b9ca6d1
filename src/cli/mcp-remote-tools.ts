import { SalvorError } from "../client/salvor-error.js";
import { BadRequestError, OperatorRequiredError } from "../client/wire-errors.js";
import { isJsonObject, ownValue, type JsonValue } from "../contract/json.js";
import type { ToolDescriptor } from "../contract/tool-set.js";
import type { Violation } from "../contract/validator.js";
import { hashValue } from "../log/canonical-json.js";
import { isTerminal } from "../log/fold.js";
import { AnswersUnderway } from "../mcp/server/answers-underway.js";
import { Callers } from "../mcp/server/callers.js";
import { MOST_ATTEMPTS, runOfName } from "../mcp/server/call-names.js";
import { refusalOf, refused } from "../mcp/server/refusals.js";
import { replyOf } from "../mcp/server/reply-of.js";
import { abandoned, isDefiniteFailure, isOf, isSame, notOfRun } from "../mcp/server/run-checks.js";
import { CALL_SEQ, type RunView } from "../mcp/server/run-view.js";
import type { AskedCall, CallReply, ServedTools } from "../mcp/server/served-tools.js";
import { Stopping } from "../runtime/hosted/hosted-errors.js";
import { judgeHostedInput } from "../runtime/hosted/judge-hosted-input.js";
import { RunQueue } from "../runtime/run-queue.js";
import { WALL_CLOCK } from "../runtime/timing.js";
import { createValidator } from "../schema/index.js";
import type { RemoteOpening, RemoteTool } from "./mcp-remote-performers.js";
import { CALL_LABEL, type RemoteRuns } from "./mcp-remote-runs.js";

/** How long a tool that was given up may take to say how it went, in milliseconds; it is asked within a second. */
const GIVEN_UP_MS = 1_500;

/** A call that this process has performed. */
interface Underway {
  readonly reply: Promise<CallReply>;
  readonly label: string;
}

/**
 * The tools of another salvor server, each call in a run of its own there: the records, the evidence and what is held against
 * a report are that server's (docs/mcp.md, "The tools of another server").
 */
export class RemoteTools implements ServedTools {
  readonly #tools: ReadonlyMap<string, RemoteTool>;
  readonly #answers = new AnswersUnderway();
  readonly #deciding = new RunQueue();
  readonly #underway = new Map<string, Underway>();
  readonly #callers = new Callers();
  readonly #stopping = new AbortController();
  /** Runs that this process drove last, and let go of without an end. */
  readonly #left = new Set<string>();

  constructor(
    private readonly runs: RemoteRuns,
    tools: readonly RemoteTool[],
    private readonly timeoutMs: number,
  ) {
    this.#tools = new Map(tools.map((each) => [each.descriptor.name, each]));
  }

  descriptors(): readonly ToolDescriptor[] {
    const all = [...this.#tools.values()].map(({ descriptor }) => descriptor);
    return all.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async judgeOutput(name: string, output: JsonValue): Promise<readonly Violation[]> {
    const tool = this.#tools.get(name)?.tool;
    const judge = tool?.judgeOutput ?? (tool?.outputSchema && createValidator().compile(tool.outputSchema));
    return (await judge?.(output)) ?? [];
  }

  call(asked: AskedCall): Promise<CallReply> {
    return this.#orRefused(asked, async (remote) => {
      const bounds = { timing: WALL_CLOCK, timeoutMs: this.timeoutMs, signal: asked.signal };
      await judgeHostedInput(remote.tool, asked.input, bounds);
      if (asked.run !== undefined) return this.#ofRun(remote, asked, asked.run);
      const name = nameOf(remote, asked);
      if (typeof name === "object") return name;
      return name === undefined ? this.#unnamed(remote, asked) : this.#named(remote, asked, name);
    });
  }

  resume(asked: AskedCall, run: string, input: JsonValue): Promise<CallReply> {
    return this.#orRefused(asked, async (remote) => {
      const view = await this.runs.view(run);
      if (!isOf(view, asked)) return notOfRun(asked, run);
      if (view.call.kind === "suspended") await this.runs.answer(run, view.call.intent.seq + 2, input);
      return this.#ofRun(remote, asked, run);
    });
  }

  idle(): Promise<void> {
    return this.#answers.idle();
  }

  /** Waits for the calls that this process has performed; what has not ended after `graceMs` is given up. */
  async stop(graceMs: number): Promise<void> {
    for (const ms of [graceMs, GIVEN_UP_MS]) {
      const ended = Promise.allSettled([...this.#underway.values()].map(({ reply }) => reply));
      const late = new AbortController();
      await Promise.race([ended, WALL_CLOCK.wait(ms, late.signal).catch(() => undefined)]);
      late.abort();
      this.#stopping.abort(new Stopping("this server is stopping"));
    }
  }

  async #ofRun(remote: RemoteTool, asked: AskedCall, run: string): Promise<CallReply> {
    const view = await this.runs.view(run);
    return isOf(view, asked) ? this.#perform(remote, asked, run, view) : notOfRun(asked, run);
  }

  async #named(remote: RemoteTool, asked: AskedCall, name: string): Promise<CallReply> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const run = runOfName(name, attempt);
      const view = await this.runs.view(run);
      if (view.kind === "ours" && isDefiniteFailure(view.call) && isSame(view.call, asked)) continue;
      return this.#perform(remote, asked, run, view);
    }
    return refused("too_many_attempts", `the call has failed ${MOST_ATTEMPTS} times: give it another name`);
  }

  /** A call without a name is, unless it is a `read`, the one before it while nobody has the answer of that. */
  async #unnamed(remote: RemoteTool, asked: AskedCall): Promise<CallReply> {
    const run = crypto.randomUUID();
    if (remote.descriptor.effect === "read") return this.#perform(remote, asked, run, { kind: "none" });
    const label = labelOf(asked);
    // The answer is waited for outside: only whether it is under way is found out one after another.
    const { reply } = await this.#deciding.enter(label, async () => {
      const before = await this.#before(asked, label);
      if (before !== undefined && remote.descriptor.effect === "write" && this.#underway.has(before)) {
        return { reply: underway(before) };
      }
      const view: RunView = before === undefined ? { kind: "none" } : await this.runs.view(before);
      const begun = this.#perform(remote, asked, before ?? run, view);
      begun.catch(() => undefined);
      return { reply: begun };
    });
    return reply;
  }

  /** The run of the same call whose answer nobody has, if there is one. */
  async #before(asked: AskedCall, label: string): Promise<string | undefined> {
    // The server may say nothing yet of one that is under way here.
    for (const [run, underway] of this.#underway) if (underway.label === label) return run;
    for (const run of await this.runs.labelled(label)) {
      if (await this.#answers.settled(run)) continue;
      const view = await this.runs.view(run);
      if (!isOf(view, asked) || isTerminal(view.status)) continue;
      if (!isDefiniteFailure(view.call)) return run;
      await this.runs.end(run);
    }
    return undefined;
  }

  /** Has a call performed, or joins whoever has. */
  #perform(remote: RemoteTool, asked: AskedCall, run: string, view: RunView): Promise<CallReply> {
    const caller = this.#callers.join(run, asked.signal);
    const signal = AbortSignal.any([caller.signal, this.#stopping.signal]);
    const joined = this.#underway.get(run)?.reply;
    const reply =
      joined ??
      this.#performed(remote, { ...asked, signal }, run, view).finally(() => this.#underway.delete(run));
    if (joined === undefined) this.#underway.set(run, { reply, label: labelOf(asked) });
    return reply.finally(() => {
      caller.leave();
    });
  }

  async #performed(remote: RemoteTool, asked: AskedCall, run: string, view: RunView): Promise<CallReply> {
    if (view.kind === "foreign") {
      return refused("run_exists", `run ${run} is another program's: give the call another name`);
    }
    const givenUp = abandoned(run, view);
    if (givenUp !== undefined) return givenUp;
    if (view.kind === "ours" && view.call.kind !== "nothing") {
      if (!isSame(view.call, asked)) {
        return refused(
          "divergence",
          `run ${run} holds another call: one name, one call; nothing was performed`,
        );
      }
      if (view.call.kind !== "open") return this.#replyTo(run, view, false);
    }
    if (view.kind === "ours" && !this.#left.has(run) && (await this.runs.isDriven(run))) return underway(run);
    if (isOpenWrite(view)) return this.#replyTo(run, view, false);
    try {
      await remote.perform(run, view.kind === "none" ? openingOf(asked) : undefined, asked);
      this.#left.delete(run);
    } catch (error) {
      this.#left.add(run);
      return await this.#afterError(run, error, asked);
    }
    return this.#replyTo(run, await this.runs.view(run), true);
  }

  /** What is recorded decides, whatever was thrown. */
  async #afterError(run: string, error: unknown, asked: AskedCall): Promise<CallReply> {
    if (!(error instanceof SalvorError)) throw error;
    const view = await this.runs.view(run);
    if (isOpenWrite(view))
      return { ...(await this.#replyTo(run, view, true)), note: error.message } as CallReply;
    if (view.kind === "ours" && (view.call.kind === "settled" || view.call.kind === "suspended")) {
      return this.#replyTo(run, view, true);
    }
    // A run in which nothing happened; one that has a name is where its call is tried again.
    const isEmpty = view.kind === "ours" && view.call.kind === "nothing";
    if (isEmpty && asked.key === undefined) await this.runs.end(run);
    return ofServer(error);
  }

  async #replyTo(run: string, view: RunView, isFresh: boolean): Promise<CallReply> {
    if (view.kind !== "ours" || view.call.kind === "nothing" || view.call.kind === "other") {
      return refused("wrong_state", `run ${run} does not hold the call that was asked for`);
    }
    const isOver = isTerminal(view.status);
    const reply = replyOf(view.call, view.completion, {
      isFresh,
      answered: () => {
        const answered = this.#answers.expect(run);
        return (isOut) => answered(async () => (isOut && !isOver ? this.runs.end(run) : undefined));
      },
    });
    if (reply.kind === "failed") await this.runs.end(run);
    return reply;
  }

  async #orRefused(asked: AskedCall, work: (remote: RemoteTool) => Promise<CallReply>): Promise<CallReply> {
    const remote = this.#tools.get(asked.tool);
    if (remote === undefined) return refused("unknown_tool", `there is no tool ${asked.tool}`);
    try {
      return await work(remote);
    } catch (error) {
      if (asked.signal.aborted) throw error;
      const reply = refusalOf(error) ?? (error instanceof SalvorError ? ofServer(error) : undefined);
      if (reply === undefined) throw error;
      return reply;
    }
  }
}

/** The name of a call: what the operator declared identifies it, else what its client calls it. */
function nameOf({ keyFields }: RemoteTool, { tool, input, key }: AskedCall): string | CallReply | undefined {
  if (keyFields === undefined) return key;
  const fields: Record<string, JsonValue> = {};
  for (const field of keyFields) {
    const value = isJsonObject(input) ? ownValue(input, field) : undefined;
    if (value === undefined) {
      return refused(
        "missing_idempotency_key",
        `${tool} is identified by ${field}, which the input does not have`,
      );
    }
    Object.defineProperty(fields, field, { value, enumerable: true });
  }
  return `declared:${hashValue({ tool, fields })}`;
}

function labelOf({ tool, input }: AskedCall): string {
  return hashValue({ tool, input });
}

function openingOf(asked: AskedCall): RemoteOpening {
  const { tool, key: name, client } = asked;
  return { tool, name, client, labels: { [CALL_LABEL]: labelOf(asked) } };
}

function isOpenWrite(view: RunView): boolean {
  return (
    view.kind === "ours" && view.call.kind === "open" && view.call.intent.event.payload.effect === "write"
  );
}

function underway(run: string): CallReply {
  return { kind: "underway", at: { run_id: run, seq: CALL_SEQ } };
}

/** What is answered about an error of the other server, after which nothing more is known than that. */
function ofServer(error: SalvorError): CallReply {
  const said =
    error instanceof OperatorRequiredError ? "only the operator of that server may answer it: " : "";
  const violations = error instanceof BadRequestError ? { violations: error.violations } : {};
  return { ...refused(error.code, `${said}${error.message}`), ...violations };
}
