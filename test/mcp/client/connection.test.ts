import assert from "node:assert/strict";
import { it } from "node:test";
import { CallTimeout } from "#salvor/contract/perform-call.js";
import { ToolSet, UnknownOutcomeError } from "#salvor/index.js";
import { NeedsReconciliation, DurableRun, OutcomeUnknown } from "#salvor/runtime/index.js";
import { instant, memoryStore, START } from "../../runtime/world.js";
import { call, scripted, textOf } from "../../support/mcp-servers.js";

const tool = (name: string, annotations: object = {}) => ({
  name,
  inputSchema: { type: "object" },
  annotations,
});
const READ = { readOnlyHint: true };
const IDEMPOTENT = { idempotentHint: true };
const NO_TOOLS = { formatVersion: 1, generator: {}, inputs: {}, tools: {} };

it("a read and an idempotent call whose server ends are made again on a fresh one", async (t) => {
  const { server, calls, close } = await scripted({
    tools: [tool("look", READ), tool("put", IDEMPOTENT)],
    calls: {
      look: [{ does: "exit" }, { does: "tell" }],
      put: [{ does: "exit" }, { does: "exit" }, { does: "tell" }],
    },
  });
  t.after(close);
  const run = await DurableRun.start(await memoryStore(), START, new ToolSet(NO_TOOLS).include(server), {
    timing: instant().timing,
  });
  assert.match(JSON.stringify(await run.call("look", {})), /\\"name\\":\\"look\\"/);
  assert.match(JSON.stringify(await run.call("put", {})), /\\"name\\":\\"put\\"/);
  assert.equal(await calls("look"), 2);
  assert.equal(await calls("put"), 3);
});

it("a write whose server ends after it was sent has an unknown outcome, and is never sent again", async (t) => {
  const { server, calls, close } = await scripted({
    tools: [tool("pay"), tool("look", READ)],
    calls: { pay: [{ does: "exit" }, { does: "tell" }] },
  });
  t.after(close);
  const store = await memoryStore();
  const tools = new ToolSet(NO_TOOLS).include(server);
  const run = await DurableRun.start(store, START, tools, { timing: instant().timing });
  await assert.rejects(run.call("pay", {}), (error) => {
    assert.ok(error instanceof OutcomeUnknown);
    assert.match(error.message, /broke before the server answered \(it ended \(exit code 7\)\)/);
    return true;
  });
  // The server is there again for others.
  assert.match(textOf(await call(tools.get("look")!)), /look/);
  const again = await DurableRun.resume(store, run.runId, tools);
  await assert.rejects(again.call("pay", {}), NeedsReconciliation);
  assert.equal(await calls("pay"), 1);
});

it("a write that is asked for after the server has ended is sent to a fresh one", async (t) => {
  const {
    tool: of,
    calls,
    journal,
    close,
  } = await scripted({
    tools: [tool("pay"), tool("look", READ)],
    calls: { look: [{ does: "exit" }] },
  });
  t.after(close);
  await assert.rejects(call(of("look")));
  assert.match(textOf(await call(of("pay"))), /pay/);
  assert.equal(await calls("pay"), 1);
  assert.equal((await journal()).filter((line) => line.pids !== undefined).length, 2);
});

it("a call that is underway is not cut off by another one's trouble", async (t) => {
  const {
    tool: of,
    journalSays,
    close,
  } = await scripted({
    tools: [tool("one"), tool("two")],
    calls: { one: [{ does: "hang" }], two: [{ does: "exit" }] },
  });
  t.after(close);
  const one = call(of("one"));
  one.catch(() => undefined);
  await journalSays((lines) => lines.some((line) => line.call === "one"));
  await assert.rejects(call(of("two")), UnknownOutcomeError);
  await assert.rejects(one, UnknownOutcomeError);
});

it("what a server says to have changed is read again, and only that", async (t) => {
  const names: (readonly string[])[] = [];
  let told: () => void = () => undefined;
  const changed = new Promise<void>((resolve) => (told = resolve));
  const {
    server,
    tool: of,
    close,
  } = await scripted(
    {
      tools: [tool("change", READ), tool("stays", READ), tool("goes"), tool("turns", READ)],
      calls: {
        change: [{ does: "change", tools: [tool("stays", READ), tool("turns"), tool("comes")] }],
      },
    },
    {
      onToolsChanged: (each) => {
        names.push(each.names);
        told();
      },
    },
  );
  t.after(close);
  const set = new ToolSet(NO_TOOLS).include(server);
  const stays = of("stays");
  await call(of("change"));
  await changed;
  assert.deepEqual(set.names(), ["comes", "stays", "turns"]);
  assert.deepEqual(names, [["comes", "stays", "turns"]]);
  assert.equal(set.get("goes"), undefined);
  assert.equal(set.get("stays"), stays);
  assert.equal(set.get("turns")?.effect, "write");
});

it("after it was closed nothing is started again", async () => {
  const { tool: of, journal, close } = await scripted({ tools: [tool("pay")] });
  const pay = of("pay");
  const before = (await journal()).length;
  await close();
  await assert.rejects(call(pay), { code: "handler", definite: true });
  assert.equal(before, 1);
});

it("a server that is stuck in a call that was given up is replaced before the next one", async (t) => {
  const {
    tool: of,
    journal,
    journalSays,
    close,
  } = await scripted({
    tools: [tool("loop", READ), tool("look", READ)],
    calls: { loop: [{ does: "block" }] },
  });
  t.after(close);
  const giving = new AbortController();
  const looping = call(of("loop"), {}, { signal: giving.signal });
  looping.catch(() => undefined);
  await journalSays((lines) => lines.some((line) => line.call === "loop"));
  giving.abort(new CallTimeout("loop", 5));
  await assert.rejects(looping);
  assert.match(textOf(await call(of("look"))), /look/);
  assert.equal((await journal()).filter((line) => line.pids !== undefined).length, 2);
});
