import type { Stage } from "../stage.js";
import { mustBe } from "../story-error.js";
import { refundExpected } from "./refund-expected.js";

export async function serverKilled(stage: Stage): Promise<void> {
  const { story } = stage;
  story.title("Act 5. The server dies between intent and completion");
  const input = { order_id: "A-1005", amount_cents: 3300 };
  const next = { order_id: "A-1006", amount_cents: 1200 };
  const desk = stage.startDesk("server-killed", [
    { do: "perform", tool: "refund_card", input, pauseWhenPaid: true },
    { do: "perform", tool: "refund_card", input: next },
    { do: "complete", output: "refunded" },
  ]);
  const { run, token } = await desk.next("opened");
  const payment = refundExpected(run, input);
  const nextPayment = refundExpected(run, next);
  stage.expected.push(payment, nextPayment);

  const { key } = await desk.next("paid");
  mustBe(key === payment.key, `the desk paid under ${key}, not under ${payment.key}`);
  const pid = stage.serverPid;
  await stage.killServer();
  story.says(
    `The provider has paid 33.00 and the desk is about to report it. kill -9 ${pid}: the server is gone.`,
  );

  await stage.startServer();
  story.says(`It is started again, on the same folder and port (pid ${stage.serverPid}). The desk waits.`);
  const { status } = await stage.reader.run(run);
  mustBe(
    status.state === "needs_reconciliation",
    `the intent survived the server: the run is ${status.state}`,
  );

  desk.goOn();
  const { output } = await desk.next("performed");
  await desk.next("performed");
  const completed = await desk.next("completed");
  await desk.end();
  mustBe(completed.token === token, "the desk goes on with the drive token that it had");
  story.says(
    `The intent is still there, and the desk's report closes it. The desk goes on with its old token (${token}…) and ` +
      "refunds another order in the same run.",
  );
  story.quotes("The recorded output", JSON.stringify(output));
  stage.askedOnce(payment.key);
  stage.askedOnce(nextPayment.key);
}
