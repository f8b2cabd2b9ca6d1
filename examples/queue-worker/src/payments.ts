/** What a card is refunded for: what a message of the queue holds, too. */
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

/** The payment provider, as its customers see it: over HTTP. */
export class Payments {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** Asks for a refund under a key. An error does not say that nothing was refunded. */
  async refund(input: RefundInput, key: string, signal: AbortSignal): Promise<Refund> {
    const answer = await fetch(`${this.#url}/refunds`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(input),
      signal,
    });
    if (!answer.ok) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Refund;
  }

  /** What was refunded under a key. When nothing was, nothing will be: the key is void from then on. */
  async settle(key: string): Promise<Refund | undefined> {
    const answer = await fetch(`${this.#url}/settle`, {
      method: "POST",
      headers: { "idempotency-key": key },
    });
    if (!answer.ok) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { refund?: Refund }).refund;
  }
}
