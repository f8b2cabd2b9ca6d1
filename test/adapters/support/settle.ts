import type { SalvorClient } from "#salvor/client/index.js";
import type { Ledger } from "./ledger.js";

/**
 * Settles the open write of a run as a person does who has the provider's books: what was paid is what is recorded; what was
 * not is paid by hand.
 *
 * @param seq the position of the call that the program says it waits for.
 */
export async function settleFromLedger(
  operator: SalvorClient,
  run: string,
  seq: number,
  ledger: Ledger,
): Promise<void> {
  const { pending } = await operator.run(run);
  if (pending?.kind !== "tool" || pending.seq !== seq)
    throw new Error(`call ${seq} of run ${run} is not open`);
  const { tool, idempotency_key: key } = pending;
  const { amount_cents } = pending.input as { readonly amount_cents: number };
  if (key === null) throw new Error(`call ${seq} of run ${run} has no key`);
  const { receipt } = ledger.find(key) ?? ledger.pay({ key, tool, amount_cents, paidBy: "person" });
  await operator.resolve(run, { seq, output: { receipt, amount_cents }, operator: "Ann" });
}
