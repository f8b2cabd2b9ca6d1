import { keyOf, type ExpectedPayment } from "../check-books.js";
import type { RefundInput } from "../payments.js";

/** A refund that is to be paid once in a run; the declaration identifies it by its order and amount. */
export function refundExpected(run: string, input: RefundInput, calls = 1): ExpectedPayment {
  const { order_id, amount_cents } = input;
  const key = keyOf({ run, tool: "refund_card", order_id, amount_cents });
  return { key, path: "/refunds", body: { order_id, amount_cents }, calls };
}
