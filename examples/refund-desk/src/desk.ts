// The refund desk: a process that drives one run with Salvor's client and pays with its own secret.
//
//   SALVOR_URL=... SALVOR_TOKEN=... PROVIDER_URL=... PROVIDER_SECRET=... node dist/desk.js --state FILE --plan JSON
//
// The plan is a list of steps, and each line that it prints is JSON (desk-protocol.ts). Started again with the same state file,
// it goes on with the run that it was driving.
import { createHash, randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { ToolSet } from "salvor";
import { ClientRun, SalvorClient } from "salvor/client";
import type { DeskLine, Step } from "./desk-protocol.js";
import { readState, writeState } from "./desk-state.js";
import { DeskSteps } from "./desk-steps.js";
import { HttpPayments } from "./http-payments.js";
import { PausingPayments } from "./pausing-payments.js";
import schemas from "./tools.schemas.json" with { type: "json" };
import { BankPayout, RefundCard } from "./tools.js";

const { values } = parseArgs({ options: { state: { type: "string" }, plan: { type: "string" } } });
const stateFile = required("--state", values.state);
const plan = JSON.parse(required("--plan", values.plan)) as readonly Step[];

const client = new SalvorClient({ url: variable("SALVOR_URL"), token: variable("SALVOR_TOKEN") });
const payments = new HttpPayments(variable("PROVIDER_URL"), variable("PROVIDER_SECRET"));

let pausing = false;
const pausingPayments = new PausingPayments(payments, async (key) => {
  if (!pausing) return;
  say({ at: "paid", key });
  await nextLine();
});
const tools = new ToolSet(schemas)
  .register(new RefundCard(pausingPayments))
  .register(new BankPayout(pausingPayments));

// The id is on disk before the run is opened: a desk that dies right after that still knows its run.
const remembered = readState(stateFile);
const runId = remembered?.run ?? randomUUID();
if (remembered === undefined) writeState(stateFile, { run: runId });

const run = await ClientRun.open(client, tools, { runId, agentDefHash: "refund-desk@1", input: null });
say({ at: "opened", run: runId, again: remembered !== undefined, token: fingerprint() });

const steps = new DeskSteps(client, run, payments, say);
for (const step of plan) {
  if (step.do === "wait") {
    say({ at: "waiting" });
    await nextLine();
  } else if (step.do === "complete") {
    await run.complete(step.output);
    say({ at: "completed", token: fingerprint() });
  } else {
    pausing = step.do === "perform" && step.pauseWhenPaid === true;
    await steps.take(step);
  }
}

function say(line: DeskLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Nobody is left to say how to go on when the input ends, and the desk ends as well. */
async function nextLine(): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  await new Promise<void>((go) => {
    lines.once("line", () => {
      go();
    });
    lines.once("close", () => {
      process.exitCode = 1;
    });
  });
  lines.removeAllListeners("close");
  lines.close();
}

function fingerprint(): string {
  return createHash("sha256").update(run.driveToken).digest("hex").slice(0, 8);
}

function variable(name: string): string {
  return required(name, process.env[name]);
}

function required(name: string, value: string | undefined): string {
  if (value === undefined || value === "") throw new Error(`the desk needs ${name}`);
  return value;
}
