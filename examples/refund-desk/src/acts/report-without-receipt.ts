import type { Stage } from "../stage.js";
import { mustBe } from "../story-error.js";
import { refundExpected } from "./refund-expected.js";

export async function reportWithoutReceipt(stage: Stage): Promise<void> {
  const { story } = stage;
  story.title("Act 2. A report without the provider's id");
  const input = { order_id: "A-1002", amount_cents: 2500 };
  const desk = stage.startDesk("no-receipt", [
    { do: "refund_by_hand", input, claim: { refund_id: null } },
    { do: "complete", output: "refunded" },
  ]);
  const { run } = await desk.next("opened");
  const payment = refundExpected(run, input);
  stage.expected.push(payment);

  story.says(
    "This desk speaks HTTP by hand. It pays, and then reports that 25.00 were refunded, without the provider's id. " +
      "The declaration's output_schema requires that id.",
  );
  const refused = await desk.refused("CompletionRefusedError");
  mustBe(refused.status === 400, `the report was refused with status 400, not ${String(refused.status)}`);
  mustBe(refused.message.includes("output_schema"), `the refusal names output_schema: ${refused.message}`);
  mustBe(refused.key === payment.key, "the refusal names the key of the call");
  story.quotes("The server refuses it", refused.message);

  const { output } = await desk.next("performed");
  await desk.next("completed");
  await desk.end();
  story.says(
    "The call stayed open. The desk corrects its report, under the same key, and that one is recorded.",
  );
  story.quotes("The recorded output", JSON.stringify(output));
  stage.askedOnce(payment.key);
}
