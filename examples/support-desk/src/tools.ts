import { HandlerError, declaredTools, suspend, type ToolCtx } from "salvor";
import type { RunTools, SalvorClient } from "salvor/client";
import type { Ledger } from "./ledger.js";

/** What the desk may refund without asking. */
const LIMIT_CENTS = 10_000;

interface RefundInput {
  readonly order_id: string;
  readonly amount_cents: number;
}

/**
 * The desk's tools: what the operator declared, and what the desk does for each.
 *
 * @param onPaid is told when the provider has paid, before anybody else hears of it.
 */
export async function deskTools(salvor: SalvorClient, ledger: Ledger, onPaid: () => void): Promise<RunTools> {
  return declaredTools(await salvor.clientTools(), {
    find_order: (_ctx, { order_id }: { readonly order_id: string }) => ({ order_id, paid_cents: 25_000 }),
    refund_card({ idempotencyKey: key }: ToolCtx, { order_id, amount_cents }: RefundInput) {
      if (amount_cents > LIMIT_CENTS) {
        const answer = { type: "object", required: ["refund_id", "amount_cents"] };
        return suspend(
          `Refund ${amount_cents} cents of order ${order_id}? Pay it by hand, and say how.`,
          answer,
        );
      }
      if (key === undefined) throw new HandlerError("nothing was paid: the call has no key");
      const { refund_id } = ledger.pay({ key, order_id, amount_cents });
      onPaid();
      return { refund_id, amount_cents };
    },
  });
}
