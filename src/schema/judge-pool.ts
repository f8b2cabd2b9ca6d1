import type { Worker } from "node:worker_threads";
import type { Violation } from "../contract/validator.js";
import type { JudgeJob, JudgeReply } from "./judge-protocol.js";
import { SchemaError } from "./schema-error.js";

/** How long a value is judged before it is refused, in milliseconds. */
export const DEFAULT_DEADLINE_MS = 1000;
/** How long a worker may take to start and to compile a schema, in milliseconds. */
const COMPILE_DEADLINE_MS = 10_000;
const MAX_WORKERS = 2;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

interface Task {
  readonly job: JudgeJob;
  readonly deadlineMs: number;
  readonly settle: (outcome: JudgeReply | { readonly kind: "lost"; readonly why: string }) => void;
}

interface Slot {
  worker: Worker | undefined;
  task: Task | undefined;
  timer: NodeJS.Timeout | undefined;
}

const slots: readonly Slot[] = Array.from({ length: MAX_WORKERS }, () => ({
  worker: undefined,
  task: undefined,
  timer: undefined,
}));
const waiting: Task[] = [];

/**
 * Judges on a worker thread, under a deadline and a memory limit: this thread stays free whatever the value and the schema. A
 * worker that overruns either is terminated and replaced, and the value is refused. The time spent waiting for a worker does not count.
 *
 * @throws {@link SchemaError} when the schema is refused, or cannot be compiled in time.
 */
export function judgeElsewhere(job: JudgeJob, deadlineMs: number): Promise<readonly Violation[]> {
  return new Promise((resolve, reject) => {
    let compiled = false;
    waiting.push({
      job,
      deadlineMs,
      settle: (outcome) => {
        if (outcome.kind === "compiled") compiled = true;
        else if (outcome.kind === "judged") resolve(outcome.violations);
        else if (outcome.kind === "refused") reject(new SchemaError(outcome.path, outcome.problem));
        else if (compiled) resolve([unjudged(outcome.why)]);
        else reject(new SchemaError([], `cannot be compiled: ${outcome.why}`));
      },
    });
    assign();
  });
}

function unjudged(why: string): Violation {
  return { path: "$", message: `expected a value that can be judged: ${why}` };
}

function assign(): void {
  for (const slot of slots) {
    while (slot.task === undefined) {
      const task = waiting.shift();
      if (task === undefined) return;
      start(slot, task);
    }
  }
}

function start(slot: Slot, task: Task): void {
  try {
    slot.worker ??= spawn(slot);
    slot.worker.postMessage(task.job);
  } catch (error) {
    // A value that is not plain data cannot be sent.
    task.settle({
      kind: "judged",
      violations: [unjudged(error instanceof Error ? error.message : String(error))],
    });
    return;
  }
  slot.task = task;
  // A pending judgement keeps the process alive; an idle worker does not.
  slot.worker.ref();
  limit(slot, COMPILE_DEADLINE_MS, "compiling the schema");
}

function spawn(slot: Slot): Worker {
  // Not imported: most programs never need a worker, and it would be loaded by all of them.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const worker = new Worker(new URL("./judge-worker.js", import.meta.url), {
    resourceLimits: RESOURCE_LIMITS,
    execArgv: [],
    env: {},
  });
  const isCurrent = () => slot.worker === worker;
  worker.on("message", (reply: JudgeReply) => {
    if (isCurrent()) hear(slot, reply);
  });
  worker.on("error", (error: NodeJS.ErrnoException) => {
    const why =
      error.code === "ERR_WORKER_OUT_OF_MEMORY"
        ? `judging it took more than ${RESOURCE_LIMITS.maxOldGenerationSizeMb} MiB of memory`
        : `judging it failed: ${error.message}`;
    if (isCurrent()) lose(slot, why);
  });
  worker.on("exit", () => {
    if (isCurrent()) lose(slot, "judging it ended early");
  });
  return worker;
}

function hear(slot: Slot, reply: JudgeReply): void {
  const { task } = slot;
  if (task === undefined) return;
  task.settle(reply);
  if (reply.kind === "compiled") {
    limit(slot, task.deadlineMs, "judging it");
    return;
  }
  clearTimeout(slot.timer);
  slot.task = undefined;
  slot.worker?.unref();
  assign();
}

/** Starts a deadline for what the worker does now. */
function limit(slot: Slot, ms: number, doing: string): void {
  clearTimeout(slot.timer);
  const { task, worker } = slot;
  slot.timer = setTimeout(() => {
    const timer = slot.timer;
    // When this thread was busy, the answer may have come in time and not have been read yet: read first.
    setImmediate(() => {
      if (slot.task === task && slot.worker === worker && slot.timer === timer)
        lose(slot, `${doing} took longer than ${ms} ms`);
    });
  }, ms);
}

function lose(slot: Slot, why: string): void {
  const { task, worker } = slot;
  clearTimeout(slot.timer);
  slot.worker = undefined;
  slot.task = undefined;
  void worker?.terminate();
  task?.settle({ kind: "lost", why });
  assign();
}
