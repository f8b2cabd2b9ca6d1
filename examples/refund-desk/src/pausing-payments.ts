import type { PaymentCall, Payments, Payout, PayoutInput, Refund, RefundInput } from "./payments.js";

/** Payments that, once they are made, wait before they are told: the moment at which a crash costs the most. */
export class PausingPayments implements Payments {
  readonly #payments: Payments;
  readonly #paid: (key: string) => Promise<void>;

  /** @param paid is told the key of each payment that was made. */
  constructor(payments: Payments, paid: (key: string) => Promise<void>) {
    this.#payments = payments;
    this.#paid = paid;
  }

  async refund(input: RefundInput, call: PaymentCall): Promise<Refund> {
    const refund = await this.#payments.refund(input, call);
    await this.#paid(call.idempotencyKey);
    return refund;
  }

  async payOut(input: PayoutInput, call: PaymentCall): Promise<Payout> {
    const payout = await this.#payments.payOut(input, call);
    await this.#paid(call.idempotencyKey);
    return payout;
  }
}
