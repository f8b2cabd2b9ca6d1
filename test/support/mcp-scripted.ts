// An MCP server that does what a scenario says, by hand: it breaks every rule that a scenario wants broken. Started as a program
// with the scenario as its only argument; what it was asked is written to the scenario's journal.
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Behaviour, Scenario } from "./mcp-scenario.js";

const scenario = JSON.parse(process.argv[2] ?? "{}") as Scenario;
let tools = scenario.tools;
const questions = new Map<string, (answer: unknown) => void>();

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, unknown> & { readonly _meta?: { readonly progressToken?: unknown } };
  readonly result?: unknown;
}

if (scenario.stubborn === true) {
  process.on("SIGTERM", () => undefined);
  const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  const plain = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
  const detached = spawn(process.execPath, ["-e", script], { stdio: "ignore", detached: true });
  journal({ pids: [process.pid, plain.pid, detached.pid] });
  setInterval(() => undefined, 1000);
} else if (scenario.journal !== undefined) journal({ pids: [process.pid] });
if (scenario.stderr !== undefined) process.stderr.write(scenario.stderr);
if (scenario.dies === true) process.exit(3);
if (scenario.noise === true) process.stdout.write('starting up...\n{"level":"info"}\n42\n[1]\n\n{not json\n');

createInterface({ input: process.stdin }).on("line", (line) => {
  hear(JSON.parse(line) as Message);
});

function hear({ id, method, params = {}, result }: Message): void {
  if (method === undefined) questions.get(String(id))?.(result);
  else if (method === "initialize") {
    const capabilities = { tools: { listChanged: true } };
    answer(id, {
      protocolVersion: "2025-06-18",
      capabilities,
      serverInfo: { name: "scripted", version: "1" },
    });
  } else if (method === "server/discover") discover(id);
  else if (method === "tools/list") answer(id, list(params.cursor));
  else if (method === "tools/call") call(id, params);
  else if (method === "notifications/cancelled") journal({ cancelled: params.requestId });
  else if (method === "ping") answer(id, {});
  else if (method === "subscriptions/listen") return;
  else if (id !== undefined) write({ id, error: { code: -32601, message: "Method not found" } });
}

function discover(id: Message["id"]): void {
  if (scenario.exitsOnProbe === true) process.exit(1);
  if (scenario.modern !== true) {
    write({ id, error: { code: -32601, message: "Method not found" } });
    return;
  }
  const supportedVersions = ["2026-07-28"];
  answer(id, { supportedVersions, capabilities: { tools: {} }, ttlMs: 0, cacheScope: "private" });
}

function list(cursor: unknown): object {
  const modern = scenario.modern === true ? { ttlMs: 0, cacheScope: "private" } : {};
  if (scenario.endless === "same") return { tools, nextCursor: "again", ...modern };
  if (scenario.endless === "fresh") {
    const page = Number(cursor ?? 0);
    return { tools: page === 0 ? tools : [], nextCursor: String(page + 1), ...modern };
  }
  return { tools, ...modern };
}

function call(id: Message["id"], params: NonNullable<Message["params"]>): void {
  const name = String(params.name);
  journal({ call: name, params, id });
  const behaviours = scenario.calls?.[name] ?? [{ does: "tell" }];
  const made = journalled().filter((line) => line.call === name).length || 1;
  const behaviour = behaviours[Math.min(made, behaviours.length) - 1] ?? { does: "tell" };
  void perform(behaviour, id, params);
}

async function perform(
  behaviour: Behaviour,
  id: Message["id"],
  params: NonNullable<Message["params"]>,
): Promise<void> {
  switch (behaviour.does) {
    case "tell":
      answer(id, { content: [{ type: "text", text: JSON.stringify(params) }] });
      return;
    case "answer":
      answer(id, behaviour.result);
      return;
    case "refuse":
      write({ id, error: behaviour.error });
      return;
    case "exit":
      process.exit(7);
      return;
    case "hang":
      return;
    case "block":
      for (;;);
    case "progress":
      for (const progress of [1, 2]) {
        const { progressToken } = params._meta ?? {};
        write({ method: "notifications/progress", params: { progressToken, progress, total: 2 } });
      }
      answer(id, { content: [] });
      return;
    case "ask": {
      const asked = new Promise((resolve) => questions.set("q1", resolve));
      write({ id: "q1", method: "elicitation/create", params: behaviour.params });
      answer(id, { content: [{ type: "text", text: JSON.stringify(await asked) }] });
      return;
    }
    case "change":
      tools = behaviour.tools;
      write({ method: "notifications/tools/list_changed" });
      answer(id, { content: [] });
      return;
  }
}

function answer(id: Message["id"], result: unknown): void {
  const isWhole = scenario.modern !== true || Object.hasOwn(result as object, "resultType");
  write({ id, result: isWhole ? result : { resultType: "complete", ...(result as object) } });
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function journal(line: object): void {
  if (scenario.journal !== undefined) appendFileSync(scenario.journal, `${JSON.stringify(line)}\n`);
}

function journalled(): readonly { readonly call?: string }[] {
  if (scenario.journal === undefined) return [];
  const text = readFileSync(scenario.journal, "utf8");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as { call?: string }]));
}
