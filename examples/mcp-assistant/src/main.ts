// A desktop assistant that uses `salvor mcp`: each call recorded, one repeated, one approved, one that dies in the middle.
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SalvorClient } from "salvor/client";
import { Assistant, type ServerEntry } from "./assistant.js";

const SALVOR = fileURLToPath(import.meta.resolve("../../../dist/cli/main.js"));
const TOOLS = fileURLToPath(import.meta.resolve("./tools.js"));

const folder = mkdtempSync(join(tmpdir(), "salvor-assistant-"));
const ledger = join(folder, "ledger");
const control = await freePort();
const desk: ServerEntry = {
  command: process.execPath,
  args: [SALVOR, "mcp", "--tools", TOOLS, "--data", join(folder, "data"), "--control", String(control)],
  env: { LEDGER: ledger },
};

let assistant = await Assistant.start(desk, user);
try {
  console.log("tools:", (await assistant.tools()).join(", "));
  const order = await assistant.call("find_order", { order_id: "A-17" }, "ticket 7: order");
  console.log("A-17 was paid with", order.text);

  const refund = { order_id: "A-17", amount_cents: 500 };
  const first = await assistant.call("refund_card", refund, "ticket 7: refund");
  console.log("refunded:", first.text);
  const second = await assistant.call("refund_card", refund, "ticket 7: refund");
  console.log("asked for again:", second.text, second.isReplayed ? "(from the log)" : "(PERFORMED AGAIN)");

  const large = { order_id: "A-18", amount_cents: 90_000 };
  const approval = await assistant.call("approve_refund", large, "ticket 8: approval");
  console.log("the user's answer is recorded:", approval.text);

  // This refund is made, and then the server dies before it can say so.
  const dying = { order_id: "A-13", amount_cents: 700 };
  const lost = assistant.call("refund_card", dying, "ticket 9: refund").catch((error: unknown) => error);
  await inLedger("A-13");
  assistant.killServer();
  await lost;
  await assistant.close();
  console.log("the server was killed after A-13 was refunded, and before it said so");

  assistant = await Assistant.start(desk, user);
  const unknown = await assistant.call("refund_card", dying, "ticket 9: refund");
  console.log("asked for again:", unknown.isError ? "nobody knows, and it is not made again" : unknown.text);

  // The operator looks into the provider's ledger, and says what happened: what `salvor resolve` does.
  const operator = new SalvorClient({ url: `http://127.0.0.1:${control}` });
  const output = { refund_id: "re_A-13", amount_cents: 700 };
  await operator.resolve(unknown.run, { seq: 1, output, operator: "Ann", note: "found in the ledger" });
  const settled = await assistant.call("refund_card", dying, "ticket 9: refund");
  console.log("after Ann has settled it:", settled.text);

  const lines = readFileSync(ledger, "utf8").trim().split("\n");
  const orders = lines.map((line) => line.split(" ")[0] ?? "");
  console.log("the ledger:", orders.join(", "));
  const isRight = orders.join() === "A-17,A-13" && second.isReplayed && unknown.isError && !settled.isError;
  process.exitCode = isRight ? 0 : 1;
} finally {
  await assistant.close();
  rmSync(folder, { recursive: true, force: true });
}

/** The assistant's user. */
function user(question: string): boolean {
  console.log("the assistant asks its user:", question);
  return true;
}

/** Resolves when the ledger has a line of this order. */
async function inLedger(order: string): Promise<void> {
  const watching = watch(folder);
  try {
    while (!existsSync(ledger) || !readFileSync(ledger, "utf8").includes(order))
      await once(watching, "change");
  } finally {
    watching.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
