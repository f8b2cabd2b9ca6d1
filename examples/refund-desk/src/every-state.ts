import { randomUUID } from "node:crypto";
import type { SalvorClient } from "salvor/client";
import type { Stage } from "./stage.js";

type Drive = Parameters<SalvorClient["toolIntent"]>[0];

/** What is left behind for somebody to look at, and what there is to see. */
export interface Exhibit {
  readonly run: string;
  readonly about: string;
}

/** Leaves a run in every state that the story has not left one in. None of them pays anybody: they are there to be looked at. */
export async function everyState(stage: Stage): Promise<readonly Exhibit[]> {
  const desk = stage.reader;
  const operator = stage.operator;
  const exhibits: Exhibit[] = [];
  const begin = async (about: string, labels: Readonly<Record<string, string>>): Promise<Drive> => {
    const { run, drive_token: driveToken } = await desk.openRun({ runId: randomUUID() });
    const drive = { run, driveToken };
    await record(desk, drive, 0, "RunStarted", { agent_def_hash: "refund-desk@1", input: null, labels });
    exhibits.push({ run, about });
    return drive;
  };

  const payout = await begin("a payout that a person settles, with a report that was refused", {
    team: "payouts",
  });
  const asked = { merchant_id: "M-12", amount_cents: 480_000 };
  await desk.toolIntent(payout, { seq: 1, tool: "bank_payout", input: asked });
  const claim = { output: { payout_id: "po_0042", amount_cents: 48_000 } };
  await desk.toolCompletion(payout, 1, claim).catch(() => undefined);

  const refund = await begin("an open refund, in the inbox when its desk has been silent for a minute", {
    team: "cards",
  });
  await desk.toolIntent(refund, {
    seq: 1,
    tool: "refund_card",
    input: { order_id: "A-2001", amount_cents: 1999 },
  });

  const question = await begin("a run that asks a person something", { team: "cards", order: "A-2002" });
  await record(desk, question, 1, "Suspended", {
    reason: "The customer paid with two cards. Which one is refunded?",
    input_schema: {
      type: "object",
      additionalProperties: false,
      required: ["card", "tell_customer"],
      properties: {
        card: { enum: ["ending 4242", "ending 0341", "both, in halves"] },
        tell_customer: { type: "boolean" },
        note: { type: "string", maxLength: 400 },
      },
    },
  });

  const budget = await begin("a run over its budget", { team: "research" });
  await record(desk, budget, 1, "BudgetExceeded", {
    budget: { kind: "tokens", limit: 20_000 },
    observed: 20_431,
  });

  const model = await begin("a run that awaits a model", { team: "research" });
  await desk.modelIntent(model, { seq: 1, requestHash: "sha256:of-the-request" });
  const lookUp = await begin("a run that awaits a read", { team: "cards" });
  await desk.toolIntent(lookUp, { seq: 1, tool: "look_up_order", input: { order_id: "A-2003" } });
  await begin("a run under way", { team: "cards" });

  const failed = await begin("a run that failed", { team: "cards" });
  await record(desk, failed, 1, "RunFailed", { error: "the order system was not there for an hour" });
  const abandoned = await begin("a run that was abandoned, its payout unresolved", { team: "payouts" });
  const unresolved = { merchant_id: "M-13", amount_cents: 7_700 };
  await desk.toolIntent(abandoned, { seq: 1, tool: "bank_payout", input: unresolved });
  await operator.abandon(abandoned.run, { seq: 1, reason: "the merchant's account was closed" });
  return exhibits;
}

async function record(
  client: SalvorClient,
  drive: Drive,
  seq: number,
  kind: string,
  payload: object,
): Promise<void> {
  const envelope = { run_id: drive.run, seq, schema_version: 1, recorded_at: "", event: { kind, payload } };
  await client.appendEvents(drive, [
    envelope as unknown as Parameters<SalvorClient["appendEvents"]>[1][number],
  ]);
}
