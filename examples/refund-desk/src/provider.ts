// A stand-in payment provider: a process of its own, with its own secret and its own books.
//
//   PROVIDER_SECRET=... node dist/provider.js FOLDER
//
// Its first line of output is its port. It ends when its standard input does.
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import {
  AppendOnly,
  ledgerFile,
  readLedger,
  requestsFile,
  type LedgerLine,
  type PaymentPath,
  type RequestLine,
} from "./provider-books.js";

const folder = process.argv[2];
const secret = process.env["PROVIDER_SECRET"];
if (folder === undefined || secret === undefined || secret === "") {
  throw new Error("usage: PROVIDER_SECRET=... node provider.js FOLDER");
}

const ledger = new AppendOnly<LedgerLine>(ledgerFile(folder));
const requests = new AppendOnly<RequestLine>(requestsFile(folder));
const paid = new Map(readLedger(folder).map((line) => [line.key, line]));
const wanted = digest(`Bearer ${secret}`);

const RECEIPTS = { "/refunds": ["refund_id", "re"], "/payouts": ["payout_id", "po"] } as const;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

function answer(request: RequestLine): Answer {
  const { method, path, authorized, key, body } = request;
  if (!authorized) return refused(401, "the secret is not the provider's");
  if (method !== "POST" || !isPaymentPath(path)) return refused(404, `no such thing: ${method} ${path}`);
  if (key === null) return refused(400, "a payment needs an Idempotency-Key");
  const earlier = paid.get(key);
  if (earlier !== undefined) {
    const same = earlier.path === path && isDeepStrictEqual(earlier.body, body);
    return same
      ? { status: 200, body: earlier.receipt }
      : refused(409, "another payment was made under this key");
  }
  const amount = amountOf(body);
  if (amount === undefined) return refused(422, "amount_cents must be a positive integer");
  return { status: 201, body: pay(key, path, body, amount) };
}

function pay(key: string, path: PaymentPath, body: unknown, amount: number): LedgerLine["receipt"] {
  const [field, prefix] = RECEIPTS[path];
  const receipt = { [field]: `${prefix}_${String(paid.size + 1).padStart(4, "0")}`, amount_cents: amount };
  const line = { key, path, body, receipt, paid_at: new Date().toISOString() };
  ledger.append(line);
  paid.set(key, line);
  return receipt;
}

function amountOf(body: unknown): number | undefined {
  if (typeof body !== "object" || body === null || !("amount_cents" in body)) return undefined;
  const { amount_cents: amount } = body;
  return typeof amount === "number" && Number.isSafeInteger(amount) && amount > 0 ? amount : undefined;
}

function isPaymentPath(path: string): path is PaymentPath {
  return Object.hasOwn(RECEIPTS, path);
}

function refused(status: number, error: string): Answer {
  return { status, body: { error } };
}

function digest(words: string): Buffer {
  return createHash("sha256").update(words).digest();
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const { authorization, "idempotency-key": key } = request.headers;
  const line: RequestLine = {
    at: new Date().toISOString(),
    method: request.method ?? "",
    path: request.url ?? "",
    authorized: timingSafeEqual(digest(authorization ?? ""), wanted),
    key: typeof key === "string" && key !== "" ? key : null,
    body: parsed(body),
  };
  // Before anything is paid: no payment without a line that says who asked for it.
  requests.append(line);
  const { status, body: said } = answer(line);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(said));
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});

server.listen(0, "127.0.0.1", () => {
  console.log((server.address() as AddressInfo).port);
});

process.stdin.resume().on("end", () => {
  process.exit(0);
});
