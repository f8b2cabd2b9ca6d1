import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runSalvor } from "../support/run-salvor.js";
import { spawnServer, type SpawnedServer } from "../support/spawn-server.js";
import { REFUND_CARD, toolFiles, type ToolFiles } from "../support/tool-files.js";
import { toolModule } from "../support/tool-module.js";
import { SalvorClient } from "#salvor/client/index.js";

let files: ToolFiles;
before(async () => (files = await toolFiles()));
after(() => files.remove());

describe("--tools refuses to start, before the port is bound, naming the module and what to do, for", () => {
  const one = 'add("send", "write", () => "sent");';
  const faults: readonly (readonly [what: string, file: string, text: string | undefined, said: RegExp])[] = [
    ["a file that is not there", "missing.js", undefined, /missing\.js.*not there/],
    ["TypeScript source", "tools.ts", "export default 1;", /tools\.ts[\s\S]*Next:.*tsc/],
    ["a module that throws", "throws.js", 'throw new Error("no database");', /throws\.js.*no database/],
    [
      "a module that throws nothing that can be looked at",
      "proxy.js",
      "throw new Proxy({}, { getPrototypeOf() { throw 1; }, get() { throw 2; } });",
      /proxy\.js/,
    ],
    ["a module that is none", "syntax.js", "export default {", /syntax\.js cannot be loaded/],
    [
      "a module without a ToolSet",
      "none.js",
      "export const other = 1;",
      /none\.js exports no ToolSet.*other/,
    ],
    [
      "a module that exports something else",
      "else.js",
      "export default { get() {} };",
      /else\.js exports as default an object, not a ToolSet/,
    ],
    [
      "a function that throws",
      "maker.js",
      'export const tools = () => { throw new Error("no key"); };',
      /maker\.js exports as tools a function that throws: no key/,
    ],
    [
      "a ToolSet of another copy",
      "copy.js",
      "export default { names() {}, get() {}, descriptors() {}, register() {} };",
      /copy\.js is made by another copy of salvor/,
    ],
    ["two tools with one name", "twice.js", toolModule(`${one} ${one}`), /twice\.js cannot be loaded.*send/],
    [
      "a name that is a client tool's too",
      "both.js",
      toolModule('add("refund_card", "write", () => 1);'),
      /refund_card.*client tool/,
    ],
  ];
  for (const [what, name, text, said] of faults)
    it(what, async () => {
      const declaration = await files.write("refund-card.toml", REFUND_CARD);
      const file = text === undefined ? join(files.folder, name) : await files.write(name, text);
      const data = join(files.folder, "data");
      const args = ["serve", "--bind", "127.0.0.1:1", "--data", data, "--client-tool", declaration];
      const { code, stdout, stderr } = await runSalvor([...args, "--tools", file]);
      assert.equal(code, 1, stderr);
      assert.equal(stdout, "");
      assert.match(stderr, said);
      assert.match(stderr, /\nNext: /);
      assert.doesNotMatch(stderr, /\n {4}at /);
      assert.equal(existsSync(data), false);
    });

  it("a folder", async () => {
    const folder = join(files.folder, "dist");
    await mkdir(folder);
    const { code, stderr } = await runSalvor(["serve", "--tools", folder]);
    assert.equal(code, 1);
    assert.match(stderr, /dist, which is no file/);
  });

  it("numbers that count nothing", async () => {
    for (const [option, value] of [
      ["--tool-concurrency", "0"],
      ["--tool-concurrency", "many"],
      ["--tool-timeout", "0"],
      ["--tool-timeout", "99999999"],
    ] as const) {
      const { code, stderr } = await runSalvor(["serve", option, value]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, new RegExp(option));
    }
  });
});

describe("--tools loads", () => {
  const one = 'add("send", "write", (ctx, input) => ({ sent: input.to }));';
  for (const [what, end] of [
    ["a default export", "export default tools;"],
    ["an export called tools", "export { tools };"],
    ["a function that makes one", "export default async () => tools;"],
  ] as const)
    it(`${what}, says so when it starts, and performs its tools`, async () => {
      const file = await files.write("tools.js", toolModule(one, end));
      const // With the texts of what is thrown, which tell one from another here.
        server = await spawnServer({ args: ["--tools", file, "--log-payloads"] });
      try {
        assert.match(server.stdout, /^1 hosted tool:\n {2}send +write +this server performs it$/m);
        const run = await RunOf.open(server);
        assert.deepEqual(await run.step(1, "send", { to: "ada" }), { output: { sent: "ada" } });
      } finally {
        assert.deepEqual(await server.stop(), { code: 0, signal: null });
      }
    });

  it("nothing when it is not given", async () => {
    const server = await spawnServer();
    assert.doesNotMatch(server.stdout, /hosted/);
    await server.stop();
  });
});

/** A run on a spawned server. */
class RunOf {
  private constructor(
    private readonly server: SpawnedServer,
    private readonly id: string,
    private readonly token: string,
  ) {}

  static async open(server: SpawnedServer): Promise<RunOf> {
    const { run, drive_token } = await new SalvorClient({ url: server.url }).openRun({});
    const opened = new RunOf(server, run, drive_token);
    const payload = { agent_def_hash: "sha256:a", input: null };
    await opened.post("events", {
      events: [{ run_id: run, seq: 0, schema_version: 1, event: { kind: "RunStarted", payload } }],
    });
    return opened;
  }

  step(seq: number, tool: string, input: unknown = {}): Promise<unknown> {
    return this.post("tool-step", { seq, tool, input });
  }

  async post(endpoint: string, body: unknown): Promise<unknown> {
    const response = await fetch(`${this.server.url}/v1/client-runs/${this.id}/${endpoint}`, {
      method: "POST",
      headers: { "x-drive-token": this.token },
      body: JSON.stringify(body),
    });
    const json = (await response.json()) as { error?: { code: string } };
    return json.error?.code ?? json;
  }
}

describe("a hosted tool cannot end the server", () => {
  const WAYS = `
    const hostile = new Proxy({}, { getPrototypeOf() { throw new Error("trap"); }, get() { throw new Error("trap"); }, has() { throw new Error("trap"); } });
    const cursed = () => Object.defineProperties(new Error("x"), {
      message: { get() { throw new Error("message"); } },
      stack: { get() { throw new Error("stack"); } },
      cause: { get() { throw new Error("cause"); } },
      name: { value: {} },
    });
    const later = (act) => new Promise((resolve) => setTimeout(() => { setTimeout(() => resolve("done"), 1); act(); }, 1));
    const ways = {
      "throws at once": () => { throw new Error("at once"); },
      "rejects": async () => { throw new Error("async"); },
      "leaves a rejection behind": () => { Promise.reject(new Error("left behind")); return later(() => undefined); },
      "leaves a rejection without a reason behind": () => { Promise.reject(); return later(() => undefined); },
      "leaves a rejected proxy behind": () => { Promise.reject(hostile); return later(() => undefined); },
      "throws in a timer": () => later(() => { throw new Error("in a timer"); }),
      "throws null in a timer": () => later(() => { throw null; }),
      "throws a proxy in a timer": () => later(() => { throw hostile; }),
      "throws a cursed error in a timer": () => later(() => { throw cursed(); }),
      "throws in a microtask": () => { queueMicrotask(() => { throw new Error("in a microtask"); }); return later(() => undefined); },
      "emits an error that nobody listens to": async () => {
        const { EventEmitter } = await import("node:events");
        return later(() => { new EventEmitter().emit("error", new Error("nobody listens")); });
      },
      "throws null": () => { throw null; },
      "throws undefined": async () => { throw undefined; },
      "throws a proxy": () => { throw hostile; },
      "throws a cursed error": () => { throw cursed(); },
      "throws what is caused by a proxy": () => { throw new Error("outer", { cause: hostile }); },
      "throws a HandlerError caused by a proxy": () => { throw new HandlerError("outer", { cause: hostile }); },
      "throws an AggregateError of a proxy": () => { throw new AggregateError([hostile], ""); },
      "returns a proxy": () => hostile,
      "returns a getter that throws": () => ({ get amount() { throw new Error("getter"); } }),
      "returns a thenable that throws": () => ({ get then() { throw new Error("then"); } }),
      "returns a thenable that rejects twice": () => ({ then(ok, no) { no(hostile); no(new Error("again")); throw new Error("thrice"); } }),
      "calls process.exit": () => process.exit(3),
      "calls process.exit in a timer": () => later(() => process.exit(3)),
      "logs what cannot be written down": (ctx) => { ctx.log.error("x", { big: 1n, hostile, get bad() { throw new Error("bad"); } }); return "done"; },
    };
    for (const effect of ["read", "write"]) add("misbehave_" + effect, effect, (ctx, { way }) => ways[way](ctx));
    add("behave", "write", () => "well");
  `;
  /** What can be seen of it: the call ends well, has failed, or has an unknown outcome when it is a write. */
  const ENDS: Readonly<Record<string, "done" | "failed" | "unknown">> = {
    "throws at once": "unknown",
    rejects: "unknown",
    "leaves a rejection behind": "done",
    "leaves a rejection without a reason behind": "done",
    "leaves a rejected proxy behind": "done",
    "throws in a timer": "done",
    "throws null in a timer": "done",
    "throws a proxy in a timer": "done",
    "throws a cursed error in a timer": "done",
    "throws in a microtask": "done",
    "emits an error that nobody listens to": "done",
    "throws null": "unknown",
    "throws undefined": "unknown",
    "throws a proxy": "unknown",
    "throws a cursed error": "unknown",
    "throws what is caused by a proxy": "unknown",
    "throws a HandlerError caused by a proxy": "failed",
    "throws an AggregateError of a proxy": "unknown",
    "returns a proxy": "unknown",
    "returns a getter that throws": "unknown",
    "returns a thenable that throws": "unknown",
    "returns a thenable that rejects twice": "unknown",
    "calls process.exit": "unknown",
    "calls process.exit in a timer": "done",
    "logs what cannot be written down": "done",
  };
  let server: SpawnedServer;
  before(async () => {
    const file = await files.write("hostile.js", toolModule(WAYS));
    // With the texts of what is thrown, which tell one from another here.
    server = await spawnServer({ args: ["--tools", file, "--log-payloads"] });
  });
  after(async () => {
    assert.deepEqual(await server.stop(), { code: 0, signal: null });
  });

  for (const [way, end] of Object.entries(ENDS))
    it(`that ${way}`, async () => {
      const write = await (await RunOf.open(server)).step(1, "misbehave_write", { way });
      const answers = { done: { output: "done" }, failed: "tool_execution", unknown: "needs_reconciliation" };
      assert.deepEqual(write, answers[end]);
      const read = await (await RunOf.open(server)).step(1, "misbehave_read", { way });
      assert.deepEqual(read, end === "done" ? { output: "done" } : "tool_execution");
      const behaved = await (await RunOf.open(server)).step(1, "behave");
      assert.deepEqual(behaved, { output: "well" });
    });

  it("and what nobody caught is logged with the call that it came from", async () => {
    await server.said(/"tool":"misbehave_write".*left behind/);
    await server.said(/"tool":"misbehave_write".*in a timer/);
    await server.said(/process\.exit was called/);
  });
});

describe("a server that is asked to stop while a tool works", () => {
  const TOOLS = `
    add("stubborn", "write", (ctx) => { process.stderr.write("begun\\n"); return never; });
    add("heeding", "read", (ctx) => { process.stderr.write("begun\\n"); return new Promise((_, no) => ctx.signal.addEventListener("abort", () => no(ctx.signal.reason))); });
  `;
  for (const [tool, answer] of [
    ["stubborn", "needs_reconciliation"],
    ["heeding", "shutting_down"],
  ] as const)
    it(`gives ${tool} up within the grace, answers ${answer}, and exits 0`, async () => {
      const file = await files.write("stopping.js", toolModule(TOOLS));
      const // With the texts of what is thrown, which tell one from another here.
        server = await spawnServer({ args: ["--tools", file, "--log-payloads"] });
      const run = await RunOf.open(server);
      const step = run.step(1, tool);
      await server.said(/^begun$/m);
      const stopped = server.stop();
      assert.equal(await step, answer);
      assert.deepEqual(await stopped, { code: 0, signal: null });
    });
});
