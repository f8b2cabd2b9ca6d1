import type { Stage } from "../stage.js";
import { mustBe } from "../story-error.js";
import { refundExpected } from "./refund-expected.js";

export async function goodPath(stage: Stage): Promise<void> {
  const { story } = stage;
  story.title("Act 1. A refund, as it should be");
  const input = { order_id: "A-1001", amount_cents: 1900 };
  const desk = stage.startDesk("good-path", [
    { do: "perform", tool: "refund_card", input },
    { do: "complete", output: "refunded" },
  ]);
  const { run } = await desk.next("opened");
  const payment = refundExpected(run, input);
  stage.expected.push(payment);

  const { output } = await desk.next("performed");
  await desk.next("completed");
  await desk.end();
  story.says(
    "The desk is to refund 19.00 on order A-1001. The server records the intent, and only then hands out the key. " +
      "The desk pays with its own secret, under that key, and reports the provider's receipt.",
  );
  story.quotes("The recorded output", JSON.stringify(output));

  const log = await stage.reader.log(run);
  const kinds = log.map(({ event }) => event.kind).join(", ");
  mustBe(
    kinds === "RunStarted, ToolCallRequested, ToolCallCompleted, RunCompleted",
    `the log holds ${kinds}`,
  );
  story.says(`The log of the run: ${kinds}.`);
  stage.askedOnce(payment.key);
}
