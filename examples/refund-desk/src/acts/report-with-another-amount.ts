import type { Stage } from "../stage.js";
import { mustBe } from "../story-error.js";
import { refundExpected } from "./refund-expected.js";

export async function reportWithAnotherAmount(stage: Stage): Promise<void> {
  const { story } = stage;
  story.title("Act 3. A report with another amount");
  const input = { order_id: "A-1003", amount_cents: 4900 };
  const desk = stage.startDesk("another-amount", [
    { do: "refund_by_hand", input, claim: { amount_cents: 9900 } },
    { do: "complete", output: "refunded" },
  ]);
  const { run } = await desk.next("opened");
  const payment = refundExpected(run, input);
  stage.expected.push(payment);

  story.says(
    "Asked for: 49.00. This desk pays that, and reports 99.00 with a real receipt. The declaration pins the amount: " +
      'require_equal = ["amount_cents"].',
  );
  const refused = await desk.refused("CompletionRefusedError");
  mustBe(refused.status === 403, `the report was refused with status 403, not ${String(refused.status)}`);
  for (const word of ["amount_cents", "4900", "9900", "require_equal"]) {
    mustBe(refused.message.includes(word), `the refusal names ${word}: ${refused.message}`);
  }
  story.quotes("The server refuses it", refused.message);

  const { output } = await desk.next("performed");
  await desk.next("completed");
  await desk.end();
  const { refused_reports: kept = [] } = await stage.reader.run(run);
  mustBe(kept.length === 1, `the server keeps 1 refused report, not ${kept.length}`);
  story.says(
    "The right report, under the same key, is recorded. The wrong one is kept, for the operator to see.",
  );
  story.quotes("The recorded output", JSON.stringify(output));
  stage.askedOnce(payment.key);
}
