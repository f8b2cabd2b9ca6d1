/** What a card is refunded for. */
export interface RefundInput {
  /** @minLength 1 */
  order_id: string;
  /** @integer @minimum 1 */
  amount_cents: number;
}

/** The provider's receipt for a refund. */
export interface Refund {
  /** @minLength 1 */
  refund_id: string;
  /** @integer @minimum 1 */
  amount_cents: number;
}

/** Who is paid out, and how much. */
export interface PayoutInput {
  /** @minLength 1 */
  merchant_id: string;
  /** @integer @minimum 1 */
  amount_cents: number;
}

/** The provider's receipt for a payout. */
export interface Payout {
  /** @minLength 1 */
  payout_id: string;
  /** @integer @minimum 1 */
  amount_cents: number;
}

/** How a payment is asked for. */
export interface PaymentCall {
  /** The provider pays once for each key, however often it is asked. */
  readonly idempotencyKey: string;
  readonly signal?: AbortSignal;
}

/** The payment provider, as the tools see it. */
export interface Payments {
  /** @throws {@link PaymentDeclined} when nothing was paid. After any other error, it may have been. */
  refund(input: RefundInput, call: PaymentCall): Promise<Refund>;
  /** @throws {@link PaymentDeclined} when nothing was paid. After any other error, it may have been. */
  payOut(input: PayoutInput, call: PaymentCall): Promise<Payout>;
}

/** The provider said no: nothing was paid. */
export class PaymentDeclined extends Error {
  override readonly name = "PaymentDeclined";
}
