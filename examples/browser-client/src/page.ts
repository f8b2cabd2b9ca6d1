// A page that drives a run: it records what it is about to do, does it, and reports; and it shows the run's events as they come.
// It needs nothing but `SalvorClient`. Closed or reloaded at any moment, it goes on where it was.
import { SalvorClient, type Drive } from "salvor/client";

const TOOL = "send_feedback";

const client = new SalvorClient({ url: content("salvor") });
const status = element("[role=status]");

// Kept before the run is opened: whatever happens next, this run can be found again.
const runId = (localStorage["run"] ??= crypto.randomUUID()) as string;
const { run, drive_token: driveToken, log } = await client.openRun({ runId });
const drive: Drive = { run, driveToken };
if (log.length === 0) {
  const payload = { agent_def_hash: "feedback-page@1", input: null };
  const event = { kind: "RunStarted", payload } as const;
  await client.appendEvents(drive, [{ run_id: run, seq: 0, schema_version: 1, recorded_at: "", event }]);
}
void show();
await finish();

element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  const text = new FormData(form).get("text");
  form.reset();
  if (typeof text === "string") void send(text);
});

/** Performs the call that was open when the page was closed, under its key. */
async function finish(): Promise<void> {
  const { pending } = await client.replay(run);
  if (pending?.kind !== "tool") return;
  status.textContent = "There was something left to send.";
  await perform(pending.seq, (pending.input as { text: string }).text);
}

async function send(text: string): Promise<void> {
  const { next_seq } = await client.replay(run);
  await perform(next_seq, text);
}

async function perform(seq: number, text: string): Promise<void> {
  status.textContent = "Sending.";
  const call = await client.toolIntent(drive, { seq, tool: TOOL, input: { text } });
  const answer = await fetch("/feedback", {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": call.idempotency_key ?? "" },
    body: JSON.stringify({ text }),
  });
  const { number } = (await answer.json()) as { number: number };
  await client.toolCompletion(drive, seq, { output: { number } });
  status.textContent = `Thank you. Yours is number ${number}.`;
}

/** Shows each event once it is durable, over as many connections as it takes. */
async function show(): Promise<void> {
  for await (const { seq, event } of client.events(run, { follow: true })) {
    const line = document.createElement("li");
    line.textContent = `${seq} ${event.kind}`;
    element("ol").append(line);
  }
}

function element(selector: string): Element {
  const found = document.querySelector(selector);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
}

function content(name: string): string {
  return element(`meta[name=${name}]`).getAttribute("content") ?? "";
}
