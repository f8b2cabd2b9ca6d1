import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Refund {
  readonly key: string;
  readonly order_id: string;
  readonly refund_id: string;
  readonly amount_cents: number;
}

/** The payment provider, with its books in a file. It pays whenever it is asked: whoever asks twice has paid twice. */
export class Ledger {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(folder, "ledger.jsonl");
  }

  /** Paid, and on disk, when this returns. */
  pay(refund: Omit<Refund, "refund_id">): Refund {
    const paid = { ...refund, refund_id: `re_${this.refunds().length + 1}` };
    appendFileSync(this.#file, `${JSON.stringify(paid)}\n`);
    return paid;
  }

  refunds(): readonly Refund[] {
    if (!existsSync(this.#file)) return [];
    return readFileSync(this.#file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Refund);
  }
}
