import { isDeepStrictEqual } from "node:util";
import { keyOf } from "../check-books.js";
import type { Stage } from "../stage.js";
import { mustBe } from "../story-error.js";

export async function payout(stage: Stage): Promise<void> {
  const { story } = stage;
  story.title("Act 7. A payout that only a person closes");
  const input = { merchant_id: "M-7", amount_cents: 125_000 };
  const claim = { payout_id: "po_0001", amount_cents: 125_000 };
  const desk = stage.startDesk("payout", [
    { do: "perform", tool: "bank_payout", input },
    { do: "settle_myself", at: "/v1/runs", output: claim },
    { do: "settle_myself", at: "/v1/client-runs", output: claim },
    { do: "wait" },
    { do: "perform", tool: "bank_payout", input },
    { do: "complete", output: "paid out" },
  ]);
  const { run } = await desk.next("opened");
  // No idempotency_key is declared: the call is identified by its place in the run.
  const key = keyOf({ run, seq: 1, tool: "bank_payout" });
  stage.expected.push({ key, path: "/payouts", body: input, calls: 1 });

  story.says(
    "The desk pays 1250.00 out to a merchant, and reports it. The declaration says trust_completion = false.",
  );
  const unbelieved = await desk.refused("CompletionRefusedError");
  mustBe(
    unbelieved.code === "client_completion_refused",
    `the report is refused to the client: ${unbelieved.code}`,
  );
  const path = `/v1/runs/${run}/resolve`;
  mustBe(unbelieved.message.includes(path), `the refusal names ${path}: ${unbelieved.message}`);
  story.quotes("The server refuses the report", unbelieved.message);

  for (const endpoint of [path, `/v1/client-runs/${run}/resolve`]) {
    const denied = await desk.refused("OperatorRequiredError");
    mustBe(denied.code === "operator_required", `settling is refused to the client: ${denied.code}`);
    story.quotes(`The desk tries to settle it itself, at ${endpoint}`, denied.message);
  }
  await desk.next("waiting");
  const { pending } = await stage.reader.run(run);
  mustBe(pending?.seq === 1, "the payout is still open");

  const { receipt } = stage.paidUnder(key);
  story.says("The operator, who holds the operator token, finds the payout in the provider's ledger:");
  await stage.resolve(run, receipt, "seen in the ledger of the provider");
  desk.goOn();
  const { output } = await desk.next("performed");
  await desk.next("completed");
  await desk.end();
  mustBe(
    isDeepStrictEqual(output, receipt),
    `the desk is told what was settled, not ${JSON.stringify(output)}`,
  );
  story.quotes("The desk asks once more, and is told", JSON.stringify(output));
  stage.askedOnce(key);
}
