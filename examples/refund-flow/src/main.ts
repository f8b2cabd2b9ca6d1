// The story: a refund that five processes work at, of which two are killed. It ends with 0 only if the books are right.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { SalvorClient, type RunWait } from "salvor/client";
import { Bank } from "./bank.js";
import { startServer } from "./server.js";

const WORKER = fileURLToPath(import.meta.resolve("./worker.js"));

interface Said {
  readonly wait?: RunWait;
  readonly done?: string;
}

const folder = mkdtempSync(join(tmpdir(), "salvor-refund-flow-"));
const server = await startServer(join(folder, "salvor"));
const operator = new SalvorClient({
  url: server.url,
  token: server.token,
  operatorToken: server.operatorToken,
});
const bank = new Bank(join(folder, "bank.jsonl"));
const runId = randomUUID();
let workers = 0;

/** Starts a worker; answers what it said, or `undefined` when it was killed. */
async function work(dieAt?: "thinking" | "paid"): Promise<Said | undefined> {
  workers += 1;
  const worker = spawn(process.execPath, [WORKER, folder, runId, ...(dieAt === undefined ? [] : [dieAt])], {
    env: { ...process.env, SALVOR_URL: server.url, SALVOR_TOKEN: server.token },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said, [code, signal]] = await Promise.all([
    text(worker.stdout),
    once(worker, "close") as Promise<[number | null, NodeJS.Signals | null]>,
  ]);
  if (signal === "SIGKILL") {
    tell(`worker ${workers} was killed (SIGKILL)`);
    return undefined;
  }
  mustBe(code === 0, `worker ${workers} ended with ${String(code ?? signal)}`);
  return JSON.parse(said) as Said;
}

function tell(line: string): void {
  console.log(line);
}

function mustBe(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

try {
  tell("A refund flow of LangGraph, over a run of Salvor. Its checkpoints are in a file.");
  await work("thinking");
  const asking = (await work())?.wait;
  mustBe(asking?.kind === "suspension", "the flow asks the manager");
  tell(`worker ${workers} went on from the checkpoint; its graph is interrupted: ${asking?.reason ?? ""}`);
  await operator.resume(runId, { seq: asking?.pendingAt ?? 0, input: { approved: true } });
  tell("the manager says yes");

  await work("paid");
  const open = (await work())?.wait;
  mustBe(open?.kind === "reconciliation", "the flow does not know whether it paid");
  tell(
    `worker ${workers} pays nobody: its graph is interrupted, for nobody knows how ${open?.tool ?? ""} ended`,
  );
  const paid = bank.find(open?.idempotencyKey ?? null);
  mustBe(paid !== undefined, "the bank knows the key");
  const { refund_id = "", amount_cents = 0 } = paid ?? {};
  await operator.resolve(runId, {
    seq: open?.pendingAt ?? 0,
    output: { refund_id, amount_cents },
    operator: "Ann",
  });
  tell(`the operator finds ${refund_id} in the bank's books under the call's key, and settles it`);

  const last = await work();
  mustBe(last?.done === "Refunded: re_1.", `the flow ends: ${JSON.stringify(last)}`);
  tell(`worker ${workers} ends the flow: ${last?.done ?? ""}`);

  const log = await operator.log(runId);
  const kinds = log.map(({ event: { kind } }) => kind);
  mustBe(kinds.at(-1) === "RunCompleted", "the run is completed");
  mustBe(bank.payments().length === 1, "the bank paid once");
  const answers = kinds.filter((kind) => kind === "ModelCallCompleted").length;
  const asked = readFileSync(join(folder, "asked.txt"), "utf8").trim().split("\n").length;
  mustBe(
    answers === 4 && asked === 5,
    "the model is asked again only for the answer that was lost with its worker",
  );
  tell(
    `the bank paid ${bank.payments().length} time; the model gave ${answers} answers and was asked ${asked} times, once for a worker that died`,
  );
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
