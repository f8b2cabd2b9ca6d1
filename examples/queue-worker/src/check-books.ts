import type { SalvorClient } from "salvor/client";
import type { LedgerLine } from "./provider.js";
import type { Message } from "./queue.js";

/**
 * Holds the provider's ledger and the server's logs against what was due.
 *
 * @returns what is wrong; nothing when each refund was made once, and is recorded as the provider made it.
 */
export async function checkBooks(
  messages: readonly Message[],
  ledger: readonly LedgerLine[],
  client: SalvorClient,
): Promise<readonly string[]> {
  const { runs } = await client.runs();
  const states = new Map<string, number>();
  for (const { status } of runs) {
    const state = status?.state ?? "unreadable";
    states.set(state, (states.get(state) ?? 0) + 1);
  }
  const recorded = await Promise.all(runs.map(async ({ run }) => outputOf(client, run)));
  return [
    ...messages.flatMap((message) => wrongWith(message, ledger, recorded)),
    ...(ledger.length === messages.length ? [] : [`${ledger.length} refunds, not ${messages.length}`]),
    ...(states.get("completed") === messages.length
      ? []
      : [`runs: ${JSON.stringify(Object.fromEntries(states))}`]),
  ];
}

function wrongWith(
  { id, refund }: Message,
  ledger: readonly LedgerLine[],
  recorded: readonly (string | undefined)[],
): readonly string[] {
  const lines = ledger.filter((line) => line.refund.order_id === refund.order_id);
  const [line] = lines;
  if (line === undefined || lines.length > 1) return [`message ${id}: ${lines.length} refunds, not 1`];
  if (line.refund.amount_cents !== refund.amount_cents) return [`message ${id}: another amount was refunded`];
  const isRecorded = recorded.includes(line.receipt.refund_id);
  return isRecorded ? [] : [`message ${id}: no run holds the receipt ${line.receipt.refund_id}`];
}

/** The receipt that a run ended with. */
async function outputOf(client: SalvorClient, run: string): Promise<string | undefined> {
  const { status } = await client.run(run);
  const output = status.state === "completed" ? status.output : undefined;
  return (output as { refund_id?: string } | undefined)?.refund_id;
}
