// The worker: takes messages from the queue, several at once, and makes each refund in a run of its own.
//
//   SALVOR_URL=... PROVIDER_URL=... node dist/worker.js QUEUE
//
// It keeps nothing. A message that is delivered again finds its run, because the run's id is made of the message's.
import { createHash } from "node:crypto";
import { ToolSet } from "salvor";
import { ClientRun, NeedsReconciliationError, SalvorClient, ToolFailedError } from "salvor/client";
import { Payments, type RefundInput } from "./payments.js";
import { Queue, type Message } from "./queue.js";
import schemas from "./tools.schemas.json" with { type: "json" };
import { RefundCard } from "./tools.js";

const AT_ONCE = 32;
/** How often one refund is asked for anew, after an attempt that certainly paid nothing. */
const ATTEMPTS = 20;

const queue = new Queue(process.argv[2] ?? "");
const client = new SalvorClient({ url: process.env["SALVOR_URL"] ?? "" });
const payments = new Payments(process.env["PROVIDER_URL"] ?? "");
const tools = new ToolSet(schemas).register(new RefundCard(payments));

const waiting = [...queue.pending()];
await Promise.all(Array.from({ length: AT_ONCE }, work));

async function work(): Promise<void> {
  for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
    await handle(message);
    // Only now: whatever happens before this line, the message comes again.
    queue.acknowledge(message.id);
    console.log(message.id);
  }
}

async function handle({ id, refund }: Message): Promise<void> {
  const input = { ...refund };
  const run = await ClientRun.open(client, tools, { runId: runIdOf(id), agentDefHash: "worker@1", input });
  await run.complete(await refundOnce(run, input));
}

/** Makes the refund, or answers the one that was made for this message before. */
async function refundOnce(run: ClientRun, input: RefundInput & Record<string, string | number>) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run.perform("refund_card", input);
    } catch (error) {
      if (error instanceof ToolFailedError && attempt < ATTEMPTS) continue;
      if (!(error instanceof NeedsReconciliationError) || error.intent === undefined) throw error;
      await settle(run, error.intent.seq, error.intent.idempotency_key ?? "");
    }
  }
}

/**
 * A worker died in the middle of this call. Its provider says what came of it, for certain: paid, or void. Where a provider
 * cannot say that, leave the call open: a person settles it.
 */
async function settle(run: ClientRun, seq: number, key: string): Promise<void> {
  const refund = await payments.settle(key);
  if (refund !== undefined) {
    await run.report(seq, { ...refund });
    return;
  }
  const error = { message: "the worker died before anything was refunded, and the key is void" };
  await client.toolCompletion({ run: run.runId, driveToken: run.driveToken }, seq, { error });
}

/** A UUID made of a message's id: the same run, however often the message is delivered. */
function runIdOf(id: number): string {
  const hex = createHash("sha256").update(`refunds/${id}`).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
