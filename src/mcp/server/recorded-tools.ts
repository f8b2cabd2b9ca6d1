import type { DynTool } from "../../contract/dyn-tool.js";
import type { JsonValue } from "../../contract/json.js";
import type { ToolDescriptor, ToolSet } from "../../contract/tool-set.js";
import type { Violation } from "../../contract/validator.js";
import { isTerminal } from "../../log/fold.js";
import { resumeWith } from "../../runtime/decisions.js";
import type { HostedCalls } from "../../runtime/hosted/hosted-calls.js";
import { judgeHostedInput } from "../../runtime/hosted/judge-hosted-input.js";
import type { Recorder } from "../../runtime/recorder.js";
import { UnregisteredTool, WrongState } from "../../runtime/run-errors.js";
import { RunQueue } from "../../runtime/run-queue.js";
import { WALL_CLOCK } from "../../runtime/timing.js";
import { createValidator } from "../../schema/index.js";
import { AnswersUnderway } from "./answers-underway.js";
import { Callers, type Caller } from "./callers.js";
import { MOST_ATTEMPTS, runOfName, unansweredIdentity } from "./call-names.js";
import { heldByAnother } from "./held-by-another.js";
import { refusalOf, refused } from "./refusals.js";
import { replyOf } from "./reply-of.js";
import { RunBook } from "./run-book.js";
import { abandoned, isDefiniteFailure, isOf, isSame, notOfRun } from "./run-checks.js";
import { CALL_SEQ, type RunView } from "./run-view.js";
import type { AskedCall, CallReply, ServedTools } from "./served-tools.js";
import type { WatchedTools } from "./watched-tools.js";

/** What the tools of a program are served with. */
export interface RecordedToolsOptions {
  readonly recorder: Recorder;
  /** Performs the calls of `watched`. */
  readonly hosted: HostedCalls;
  readonly tools: Pick<ToolSet, "descriptors">;
  readonly watched: WatchedTools;
  /** How long a tool without a `timeoutMs` of its own may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** Where a call is performed, how its run looked before, and who waits for it. */
interface Place {
  readonly run: string;
  readonly before: RunView;
  readonly caller: Caller;
}

/**
 * The tools of this process, each call in a run of its own (docs/mcp.md, "Your tools as an MCP server"): one that waits for a
 * person, or that nobody knows the outcome of, holds up no other.
 */
export class RecordedTools implements ServedTools {
  readonly #options: RecordedToolsOptions;
  readonly #book: RunBook;
  readonly #callers = new Callers();
  readonly #answers = new AnswersUnderway();
  /** One after another of those who ask for the same unnamed call finds out whether it is under way. */
  readonly #deciding = new RunQueue();

  constructor(options: RecordedToolsOptions) {
    this.#options = options;
    this.#book = new RunBook(options.recorder);
  }

  descriptors(): readonly ToolDescriptor[] {
    return this.#options.tools.descriptors();
  }

  async judgeOutput(name: string, output: JsonValue): Promise<readonly Violation[]> {
    const tool = this.#tool(name);
    const judge = tool.judgeOutput ?? (tool.outputSchema && createValidator().compile(tool.outputSchema));
    return (await judge?.(output)) ?? [];
  }

  call(asked: AskedCall): Promise<CallReply> {
    return this.#orRefused(asked, async () => {
      const tool = this.#tool(asked.tool);
      const { timeoutMs } = this.#options;
      const bounds = { timing: WALL_CLOCK, timeoutMs: tool.timeoutMs ?? timeoutMs, signal: asked.signal };
      await judgeHostedInput(tool, asked.input, bounds);
      if (asked.run !== undefined) return this.#ofRun(tool, asked, asked.run);
      if (asked.key !== undefined) return this.#named(tool, asked, asked.key);
      return holdsUntilAnswered(tool) ? this.#unnamed(tool, asked) : this.#anew(tool, asked);
    });
  }

  resume(asked: AskedCall, run: string, input: JsonValue): Promise<CallReply> {
    return this.#orRefused(asked, async () => {
      const tool = this.#tool(asked.tool);
      const view = await this.#book.view(run);
      if (!isOf(view, asked)) return notOfRun(asked, run);
      if (view.call.kind === "suspended") await this.#answer(run, input);
      return this.#ofRun(tool, asked, run);
    });
  }

  idle(): Promise<void> {
    return this.#answers.idle();
  }

  async #answer(run: string, input: JsonValue): Promise<void> {
    try {
      await this.#options.recorder.within(run, undefined, (desk) => resumeWith(desk, input));
    } catch (error) {
      // Somebody else was faster: theirs is the answer.
      if (!(error instanceof WrongState)) throw error;
    }
  }

  /** The call of a run that the client names. */
  async #ofRun(tool: DynTool, asked: AskedCall, run: string): Promise<CallReply> {
    const view = await this.#book.view(run);
    if (!isOf(view, asked)) return notOfRun(asked, run);
    return this.#perform(tool, asked, this.#place(run, view, asked));
  }

  /** A call that the client has given a name: performed under it once, however often and by whomever it is asked for. */
  async #named(tool: DynTool, asked: AskedCall, name: string): Promise<CallReply> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const run = runOfName(name, attempt);
      const view = await this.#book.view(run);
      if (view.kind === "foreign") {
        return refused("erased", `what is recorded of the call named ${name} was erased: use another name`);
      }
      if (view.kind === "ours" && isDefiniteFailure(view.call) && isSame(view.call, asked)) continue;
      if (view.kind === "none") await this.#book.open(run, { tool: tool.name, name, client: asked.client });
      return this.#perform(tool, asked, this.#place(run, view, asked));
    }
    const often = `has failed ${MOST_ATTEMPTS} times: use another name if it is to be tried again`;
    return refused("too_many_attempts", `the call named ${name} ${often}`);
  }

  /**
   * A call without a name that must not happen twice because its answer got lost: it holds its tool and its input until its
   * answer has left, and the same asked for before that is the same call.
   */
  async #unnamed(tool: DynTool, asked: AskedCall): Promise<CallReply> {
    const place = await this.#deciding.enter(unansweredIdentity(tool.name, asked.input, 0), () =>
      this.#placeUnnamed(tool, asked),
    );
    return "kind" in place ? place : this.#perform(tool, asked, place);
  }

  async #placeUnnamed(tool: DynTool, asked: AskedCall): Promise<Place | CallReply> {
    for (let generation = 0; ;) {
      const identity = unansweredIdentity(tool.name, asked.input, generation);
      const run = crypto.randomUUID();
      const holder = await this.#book.open(run, { tool: tool.name, client: asked.client, identity });
      if (holder === undefined) return this.#place(run, { kind: "none" }, asked);
      // A client that has its answer means another call.
      if (await this.#answers.settled(holder.run_id)) continue;
      const view = await this.#book.view(holder.run_id);
      if (view.kind !== "ours" || isTerminal(view.status)) {
        // A person ended that run, or erased it: they know what came of its call.
        generation += 1;
      } else if (isDefiniteFailure(view.call)) {
        await this.#book.end(holder.run_id);
      } else if (tool.effect === "write" && (await this.#isUnderway(holder.run_id))) {
        return { kind: "underway", at: { run_id: holder.run_id, seq: CALL_SEQ } };
      } else {
        return this.#place(holder.run_id, view, asked);
      }
    }
  }

  /** A `read`, or a call that the tool's own key identifies: the store knows whether that happened before. */
  async #anew(tool: DynTool, asked: AskedCall): Promise<CallReply> {
    const held = await heldByAnother(this.#options.recorder.store, tool, asked);
    if (held !== undefined) {
      const at = { run_id: held.run_id, seq: held.seq };
      if (await this.#isUnderway(held.run_id)) return { kind: "underway", at };
      const view = await this.#book.view(held.run_id);
      // Open, and nobody performs it: a `write` is not performed again, an `idempotent` call is.
      if (isOf(view, asked)) return this.#perform(tool, asked, this.#place(held.run_id, view, asked));
    }
    const run = crypto.randomUUID();
    await this.#book.open(run, { tool: tool.name, client: asked.client });
    return this.#perform(tool, asked, this.#place(run, { kind: "none" }, asked));
  }

  async #isUnderway(run: string): Promise<boolean> {
    return this.#callers.has(run) || (await this.#options.recorder.store.execution(run)) !== undefined;
  }

  #place(run: string, before: RunView, asked: AskedCall): Place {
    return { run, before, caller: this.#callers.join(run, asked.signal) };
  }

  async #perform(tool: DynTool, asked: AskedCall, { run, before, caller }: Place): Promise<CallReply> {
    const { input, key: idempotencyKey, onProgress } = asked;
    const unheard = onProgress && this.#options.watched.listen(run, onProgress);
    try {
      const givenUp = abandoned(run, before);
      if (givenUp !== undefined) return givenUp;
      const call = { seq: CALL_SEQ, tool: tool.name, input, idempotencyKey, signal: caller.signal };
      const end = await this.#options.hosted.perform(run, undefined, call);
      const [completion] = await this.#options.recorder.store.readLog(run, CALL_SEQ + 1, 1);
      const reply = replyOf(end, completion, {
        isFresh: before.kind !== "ours" || before.call.kind === "nothing" || before.call.kind === "open",
        answered: () => this.#expectAnswer(run),
      });
      if (reply.kind === "failed") await this.#book.end(run);
      return reply;
    } catch (error) {
      // A run in which nothing happened; one that has a name is where its call is tried again.
      if (before.kind === "none" && idempotencyKey === undefined) {
        await this.#book.end(run).catch(() => undefined);
      }
      throw error;
    } finally {
      unheard?.();
      caller.leave();
    }
  }

  #expectAnswer(run: string): (isOut: boolean) => Promise<void> {
    const answered = this.#answers.expect(run);
    return (isOut) =>
      answered(async () => {
        const view = isOut ? undefined : await this.#book.view(run);
        // Kept for who asks again.
        if (view?.kind === "ours" && view.identity !== undefined) return;
        await this.#book.end(run);
      });
  }

  async #orRefused(asked: AskedCall, work: () => Promise<CallReply>): Promise<CallReply> {
    try {
      return await work();
    } catch (error) {
      const reply = asked.signal.aborted ? undefined : refusalOf(error);
      if (reply === undefined) throw error;
      return reply;
    }
  }

  #tool(name: string): DynTool {
    const tool = this.#options.watched.get(name);
    if (tool === undefined) throw new UnregisteredTool(name, this.#options.watched.names());
    return tool;
  }
}

/** Whether nothing but its answer tells a client that the call happened, and its happening twice matters. */
function holdsUntilAnswered({ effect, idempotencyKey }: DynTool): boolean {
  return effect !== "read" && idempotencyKey === undefined;
}
