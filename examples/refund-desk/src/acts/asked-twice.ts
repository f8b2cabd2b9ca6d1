import { isDeepStrictEqual } from "node:util";
import type { Stage } from "../stage.js";
import { mustBe } from "../story-error.js";
import { refundExpected } from "./refund-expected.js";

export async function askedTwice(stage: Stage): Promise<void> {
  const { story } = stage;
  story.title("Act 4. The same refund, asked for twice");
  const input = { order_id: "A-1004", amount_cents: 700 };
  const desk = stage.startDesk("asked-twice", [
    { do: "perform", tool: "refund_card", input },
    { do: "perform", tool: "refund_card", input },
    { do: "complete", output: "refunded" },
  ]);
  const { run } = await desk.next("opened");
  const payment = refundExpected(run, input, 2);
  stage.expected.push(payment);

  const first = await desk.next("performed");
  const second = await desk.next("performed");
  await desk.next("completed");
  await desk.end();
  mustBe(isDeepStrictEqual(first.output, second.output), "both calls have one answer");
  story.says(
    "Order and amount identify a refund within its run. The second call is recorded as well, and answered from the first: " +
      "the tool does not run, and the provider is not asked.",
  );
  story.quotes("The first answer", JSON.stringify(first.output));
  story.quotes("The second answer", JSON.stringify(second.output));
  stage.askedOnce(payment.key);
}
