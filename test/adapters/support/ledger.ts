import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** One payment that was made. */
export interface Payment {
  readonly key: string;
  readonly tool: string;
  readonly receipt: string;
  readonly amount_cents: number;
  readonly paidBy: "program" | "person";
}

/**
 * A payment provider's books, in a file that outlives whoever pays. It pays whenever it is asked, also twice under one key:
 * a test is to see that.
 */
export class Ledger {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = join(folder, "ledger.jsonl");
  }

  /** On disk when this returns. */
  pay(payment: Omit<Payment, "receipt">): Payment {
    const paid = { ...payment, receipt: `${payment.tool}_${this.payments().length + 1}` };
    appendFileSync(this.#file, `${JSON.stringify(paid)}\n`);
    return paid;
  }

  payments(): readonly Payment[] {
    return linesOf(this.#file).map((line) => JSON.parse(line) as Payment);
  }

  /** What was paid under a key. */
  find(key: string): Payment | undefined {
    return this.payments().find((payment) => payment.key === key);
  }
}

/** The lines of a file that may not be there yet. */
export function linesOf(file: string): readonly string[] {
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}
