import {
  PaymentDeclined,
  type PaymentCall,
  type Payments,
  type Payout,
  type PayoutInput,
  type Refund,
  type RefundInput,
} from "./payments.js";

/** The provider over HTTP, with the secret that only the desk and the provider know. */
export class HttpPayments implements Payments {
  readonly #url: string;
  readonly #secret: string;

  constructor(url: string, secret: string) {
    this.#url = url;
    this.#secret = secret;
  }

  async refund(input: RefundInput, call: PaymentCall): Promise<Refund> {
    return (await this.#pay("/refunds", input, call)) as Refund;
  }

  async payOut(input: PayoutInput, call: PaymentCall): Promise<Payout> {
    return (await this.#pay("/payouts", input, call)) as Payout;
  }

  /** What the provider answered, as it came: the tools' output schemas judge it. */
  async #pay(path: string, input: object, { idempotencyKey, signal }: PaymentCall): Promise<unknown> {
    const answer = await fetch(this.#url + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${this.#secret}`,
        "idempotency-key": idempotencyKey,
      },
      body: JSON.stringify(input),
      ...(signal !== undefined && { signal }),
    });
    if (answer.ok) return await answer.json();
    const reason = `the provider answered ${answer.status}: ${await answer.text()}`;
    // Only these say for certain that nothing was paid. A conflict says that something else was, under this key.
    if ([400, 401, 422].includes(answer.status)) throw new PaymentDeclined(reason);
    throw new Error(reason);
  }
}
