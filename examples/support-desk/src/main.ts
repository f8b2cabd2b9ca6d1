// The story: a customer asks three times, a desk dies, and a person is needed twice. It ends with 0 only if the books are right.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isToolUIPart, type UIMessage } from "ai";
import { SalvorClient } from "salvor/client";
import { Customer } from "./customer.js";
import { Ledger } from "./ledger.js";
import { startDesk, startSalvor, type Listening } from "./processes.js";

const folder = mkdtempSync(join(tmpdir(), "salvor-support-desk-"));
const salvor = await startSalvor(folder);
const operator = new SalvorClient({ url: salvor.url, operatorToken: salvor.operatorToken });
const ledger = new Ledger(folder);
const customer = new Customer();
const open: Listening[] = [salvor];

async function desk(mode?: "die"): Promise<Listening> {
  const started = await startDesk(folder, salvor, mode);
  open.push(started);
  return started;
}

function mustBe(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not as it should be: ${what}`);
}

/** What a message of the desk shows: its words, and where its calls of tools are. */
function shown(message: UIMessage | undefined): string {
  if (message === undefined) return "(cut off)";
  const pieces = message.parts.flatMap((part) => {
    if (part.type === "text") return [part.text.trim()];
    return isToolUIPart(part) ? [`[${part.type.slice("tool-".length)}: ${part.state}]`] : [];
  });
  return pieces.join(" ");
}

async function asks(url: string, text: string): Promise<string> {
  console.log(`\n  customer: ${text}`);
  return says(await customer.ask(url, text));
}

function says(message: UIMessage | undefined): string {
  const words = shown(message);
  console.log(`  desk:     ${words}`);
  return words;
}

try {
  const first = await desk();
  const done = await asks(first.url, "My order A-1 came broken. I want 5 euros back.");
  mustBe(done.endsWith("re_1."), "the first refund is made");
  await first.stop();

  const dying = await desk("die");
  mustBe((await asks(dying.url, "And order B-2, 7 euros.")) === "(cut off)", "the desk dies");
  console.log(`            ${String(await dying.ended)}, behind the payment and before its report`);
  const second = await desk();
  const waiting = says(await customer.send(second.url));
  mustBe(waiting.endsWith("[refund_card: approval-requested]"), "nobody is paid on a guess");
  const { pending } = await operator.run(customer.asked);
  if (pending?.kind !== "tool") throw new Error("no call is open");
  const paid = ledger.refunds().find(({ key }) => key === pending.idempotency_key);
  if (paid === undefined) throw new Error("the provider knows nothing of the key");
  const { refund_id, amount_cents } = paid;
  await operator.resolve(customer.asked, {
    seq: pending.seq,
    output: { refund_id, amount_cents },
    operator: "Ann",
  });
  console.log(`  operator: finds ${refund_id} in the provider's books, under the call's key, and settles it`);
  customer.approve();
  mustBe(says(await customer.send(second.url)).endsWith("re_2."), "the desk goes on");

  const asking = await asks(second.url, "And all of order C-3, please: 250 euros.");
  mustBe(asking.endsWith("[refund_card: approval-requested]"), "a manager is asked");
  const { status, event_count } = await operator.run(customer.asked);
  if (status.state !== "suspended") throw new Error("nobody is asked");
  console.log(`  manager:  is asked: ${status.reason}`);
  const byHand = ledger.pay({ key: `by hand, ${customer.asked}`, order_id: "C-3", amount_cents: 25_000 });
  const answer = { refund_id: byHand.refund_id, amount_cents: byHand.amount_cents };
  // The question is what is recorded last.
  await operator.resume(customer.asked, { seq: event_count - 1, input: answer });
  console.log(`  manager:  pays it by hand, ${byHand.refund_id}`);
  customer.approve();
  mustBe(says(await customer.send(second.url)).endsWith("re_3."), "the desk goes on");

  const { runs } = await operator.runs();
  mustBe(
    runs.length === 3 && runs.every(({ status: end }) => end?.state === "completed"),
    "three runs are over",
  );
  const orders = ledger.refunds().map(({ order_id, amount_cents: cents }) => `${order_id} ${cents}`);
  mustBe(orders.join() === "A-1 500,B-2 700,C-3 25000", `each was paid once: ${orders.join()}`);
  const asked = readFileSync(join(folder, "asked.txt"), "utf8").trim().split("\n").length;
  mustBe(asked === 9, `the model was asked ${asked} times, not 9`);
  console.log(
    "\nThe books agree: 3 refunds, each paid once. The model gave 9 answers, and was asked 9 times.",
  );
} finally {
  for (const each of open.reverse()) await each.stop();
  rmSync(folder, { recursive: true, force: true });
}
