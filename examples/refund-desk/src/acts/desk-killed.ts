import { isDeepStrictEqual } from "node:util";
import type { Stage } from "../stage.js";
import { mustBe } from "../story-error.js";
import { refundExpected } from "./refund-expected.js";

export async function deskKilled(stage: Stage): Promise<void> {
  const { story } = stage;
  story.title("Act 6. The desk dies after the provider was paid, before the report");
  const input = { order_id: "A-1007", amount_cents: 8800 };
  const first = stage.startDesk("desk-killed", [
    { do: "perform", tool: "refund_card", input, pauseWhenPaid: true },
    { do: "complete", output: "refunded" },
  ]);
  const { run, token } = await first.next("opened");
  const payment = refundExpected(run, input);
  stage.expected.push(payment);
  const { key } = await first.next("paid");
  await first.kill();
  mustBe(key === payment.key, `the desk paid under ${key}, not under ${payment.key}`);
  story.says(
    "The provider has paid 88.00, and nobody has reported it. kill -9: the desk is gone, and what it knew with it.",
  );

  const second = stage.startDesk("desk-killed", [
    { do: "perform", tool: "refund_card", input },
    { do: "wait" },
    { do: "perform", tool: "refund_card", input },
    { do: "complete", output: "refunded" },
  ]);
  const opened = await second.next("opened");
  mustBe(opened.run === run && opened.again, "the new desk found its run");
  mustBe(opened.token !== token, "opening a run again ends the old drive token");
  const refused = await second.refused("NeedsReconciliationError");
  mustBe(refused.key === key, `the open call is named by its key, ${key}`);
  story.says(
    "A new desk opens the run again and asks for the same refund. It is a write, so nobody guesses:",
  );
  story.quotes("NeedsReconciliationError", refused.message);
  await second.next("waiting");
  stage.askedOnce(key);

  const { receipt } = stage.paidUnder(key);
  story.says(
    "The operator looks the key up in the provider's ledger, finds the payment, and settles the call from it.",
  );
  await stage.resolve(run, receipt, "found in the ledger of the provider");
  second.goOn();
  const { output } = await second.next("performed");
  await second.next("completed");
  await second.end();
  mustBe(
    isDeepStrictEqual(output, receipt),
    `the desk is told what was settled, not ${JSON.stringify(output)}`,
  );
  story.quotes("The desk asks once more, and is told", JSON.stringify(output));
  stage.askedOnce(key);
}
