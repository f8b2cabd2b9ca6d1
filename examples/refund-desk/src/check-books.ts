import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { LedgerLine, PaymentPath, RequestLine } from "./provider-books.js";

/** One payment that the story makes, exactly once. */
export interface ExpectedPayment {
  readonly key: string;
  readonly path: PaymentPath;
  readonly body: unknown;
  /** How often the run asks for it: more than once, and the later calls are answered from the first. */
  readonly calls: number;
}

/** A write as a server's log holds it. */
export interface RecordedWrite {
  readonly run: string;
  readonly seq: number;
  readonly key: string | null;
  readonly input: unknown;
  /** Absent while the call is open. */
  readonly output?: unknown;
  /** Whether it was answered from an earlier call. */
  readonly deduplicated: boolean;
}

export interface Books {
  readonly expected: readonly ExpectedPayment[];
  readonly ledger: readonly LedgerLine[];
  readonly requests: readonly RequestLine[];
  readonly writes: readonly RecordedWrite[];
}

/**
 * The idempotency key of a call (docs/http-api.md): the hash of its run, its tool and what identifies it. Computed here once
 * more, so that the server's logs are held against what they should say and not only against themselves.
 */
export function keyOf(identity: Readonly<Record<string, string | number>>): string {
  // RFC 8785 for what stands here: sorted keys, no spaces, plain strings and integers.
  const sorted = Object.fromEntries(Object.entries(identity).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `sha256:${createHash("sha256").update(JSON.stringify(sorted)).digest("hex")}`;
}

/** Everything that is not as it should be; nothing when the books agree. */
export function checkBooks({ expected, ledger, requests, writes }: Books): readonly string[] {
  const known = new Set(expected.map(({ key }) => key));
  const problems = expected.flatMap((payment) => checkPayment(payment, { ledger, requests, writes }));
  for (const { key, path } of ledger) {
    if (!known.has(key))
      problems.push(`the ledger has a payment that nobody asked for: ${path} under ${key}`);
  }
  for (const { key, method, path, authorized } of requests) {
    const which = `${method} ${path} under ${String(key)}`;
    if (!authorized) problems.push(`a request reached the provider without its secret: ${which}`);
    if (key === null || !known.has(key))
      problems.push(`a request reached the provider that nobody meant: ${which}`);
  }
  for (const { key, run, seq } of writes) {
    if (key === null || !known.has(key)) {
      problems.push(`run ${run} records a write that is not in the story: call ${seq} under ${String(key)}`);
    }
  }
  return problems;
}

function checkPayment(
  { key, path, body, calls }: ExpectedPayment,
  { ledger, requests, writes }: Omit<Books, "expected">,
): string[] {
  const problems: string[] = [];
  const paid = ledger.filter((line) => line.key === key);
  const asked = requests.filter((line) => line.key === key);
  const recorded = writes.filter((write) => write.key === key);
  const which = `${path} ${JSON.stringify(body)} under ${key}`;
  const count = (what: string, found: number, wanted: number) => {
    if (found !== wanted) problems.push(`${which}: ${found} ${what}, not ${wanted}`);
  };

  count("ledger lines", paid.length, 1);
  // The ledger alone would hide a second execution: under one key the provider pays once, however often it is asked.
  count("requests reached the provider", asked.length, 1);
  count("calls in the log", recorded.length, calls);
  count("calls in the log were performed", recorded.filter((write) => !write.deduplicated).length, 1);
  for (const line of [...paid, ...asked]) {
    if (line.path !== path || !isDeepStrictEqual(line.body, body)) {
      problems.push(`${which}: the provider's books say ${line.path} ${JSON.stringify(line.body)}`);
    }
  }
  for (const write of recorded) {
    if (!isDeepStrictEqual(write.input, body)) {
      problems.push(`${which}: the log says ${JSON.stringify(write.input)}`);
    }
    if (write.output === undefined) problems.push(`${which}: call ${write.seq} is still open in the log`);
    else if (!paid.some(({ receipt }) => isDeepStrictEqual(receipt, write.output))) {
      problems.push(`${which}: the log's answer ${JSON.stringify(write.output)} is no receipt of the ledger`);
    }
  }
  return problems;
}
