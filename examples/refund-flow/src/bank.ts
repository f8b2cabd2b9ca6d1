import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** A payment that the bank made. */
export interface Payment {
  readonly key: string;
  readonly order_id: string;
  readonly refund_id: string;
  readonly amount_cents: number;
}

/** A bank with its books in a file. It pays whenever it is asked, also twice under one key: the flow must not ask twice. */
export class Bank {
  constructor(private readonly file: string) {}

  /** Paid when this returns. */
  refund(payment: Omit<Payment, "refund_id">): Payment {
    const paid = { ...payment, refund_id: `re_${this.payments().length + 1}` };
    appendFileSync(this.file, `${JSON.stringify(paid)}\n`);
    return paid;
  }

  payments(): readonly Payment[] {
    if (!existsSync(this.file)) return [];
    const lines = readFileSync(this.file, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Payment);
  }

  /** What was paid under a key. */
  find(key: string | null): Payment | undefined {
    return this.payments().find((payment) => payment.key === key);
  }
}
