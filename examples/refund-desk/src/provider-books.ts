import { fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

/** The two kinds of payment, by the path that asks for them. */
export type PaymentPath = "/refunds" | "/payouts";

/** One payment that was made: one line of the ledger. */
export interface LedgerLine {
  readonly key: string;
  readonly path: PaymentPath;
  readonly body: unknown;
  /** What the provider answered, and answers again whenever it is asked under this key. */
  readonly receipt: Readonly<Record<string, unknown>>;
  readonly paid_at: string;
}

/** One request that reached the provider, whatever came of it. */
export interface RequestLine {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Whether it knew the provider's secret. */
  readonly authorized: boolean;
  readonly key: string | null;
  /** As JSON; as text where it is none. */
  readonly body: unknown;
}

export function ledgerFile(folder: string): string {
  return join(folder, "ledger.jsonl");
}

export function requestsFile(folder: string): string {
  return join(folder, "requests.jsonl");
}

/** Every payment that was made, oldest first. */
export function readLedger(folder: string): readonly LedgerLine[] {
  return readLines(ledgerFile(folder)) as LedgerLine[];
}

/** Every request that reached the provider, oldest first. */
export function readRequests(folder: string): readonly RequestLine[] {
  return readLines(requestsFile(folder)) as RequestLine[];
}

function readLines(file: string): readonly unknown[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}

/** A file to which lines are added and from which none is taken. A line is on disk when `append` returns. */
export class AppendOnly<T> {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, "a", 0o600);
  }

  append(line: T): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
    fsyncSync(this.#file);
  }
}
