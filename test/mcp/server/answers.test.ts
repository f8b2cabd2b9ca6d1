import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { hostedTool, Paused } from "../../support/hosted-tools.js";
import { CLIENT_KINDS, type TestClient } from "./clients.js";
import { McpWorld, runOf, textOf } from "./mcp-world.js";
import { SalvorClient } from "#salvor/client/index.js";
import { HandlerError } from "#salvor/index.js";

const answers = new Paused();

let world: McpWorld;
before(async () => {
  world = await McpWorld.start([
    hostedTool("pay", "write", answers.call),
    hostedTool("look", "read", answers.call),
    hostedTool("keep", "idempotent", answers.call),
    hostedTool("refund", "write", answers.call, { key: "order" }),
  ]);
});
after(() => world.close());

/** Resolves once the log of a run holds so many events. */
async function recorded(run: string, count: number): Promise<void> {
  while ((await world.log(run)).length < count) await new Promise((resolve) => setImmediate(resolve));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      resolve();
    });
  });
}

/** Asks for a call and resolves once its tool is at work. */
async function begin(client: TestClient, tool: string, args: Record<string, unknown>, signal?: AbortSignal) {
  const before = answers.calls;
  const call = client.call(tool, args, signal === undefined ? {} : { signal });
  call.catch(() => undefined);
  await answers.begun(before + 1);
  return { call, at: before, run: answers.ctx(before).runId ?? "" };
}

describe("a write without a name whose answer has reached nobody", () => {
  for (const kind of CLIENT_KINDS)
    it(`is not performed again for a client that went away and comes back (${kind})`, async () => {
      const first = await world.client(kind);
      const { run, at } = await begin(first, "pay", { to: kind });
      await first.close();
      await world.caughtUp();
      answers.end("paid", at);
      // In the revision of 2026-07-28 a client gives a request up by going away; its tool ends all the same.
      await recorded(run, 3);
      const calls = answers.calls;
      const second = await world.client(kind);
      const again = await second.call("pay", { to: kind });
      assert.equal(answers.calls, calls);
      assert.equal(runOf(again), run);
      assert.equal(textOf(again), "paid");
      assert.equal(again._meta["salvor.dev/replayed"], true);
      assert.deepEqual((await world.log(run)).map(({ event }) => event.kind).slice(0, 3), [
        "RunStarted",
        "ToolCallRequested",
        "ToolCallCompleted",
      ]);
    });

  it("is refused while it is being performed for somebody else, and is another call once that has its answer", async () => {
    const [one, two] = [await world.client("2025-11-25"), await world.client("2026-07-28")];
    const { call, run, at } = await begin(one, "pay", { to: "both" });
    const refused = await two.call("pay", { to: "both" });
    assert.equal(refused.isError, true);
    assert.equal(runOf(refused), run);
    assert.match(textOf(refused), /is being performed as run .* nothing was performed for this request/);
    answers.end("first", at);
    assert.equal(textOf(await call), "first");
    const other = await begin(two, "pay", { to: "both" });
    assert.notEqual(other.run, run);
    answers.end("second", other.at);
    assert.equal(textOf(await other.call), "second");
  });

  it("is performed anew after it definitely failed", async () => {
    const client = await world.client("2025-11-25");
    const first = await begin(client, "pay", { to: "nobody" });
    answers.fail(new HandlerError("no such account"), first.at);
    assert.match(textOf(await first.call), /no such account/);
    const second = await begin(client, "pay", { to: "nobody" });
    answers.end("paid", second.at);
    assert.equal(textOf(await second.call), "paid");
  });
});

describe("a call that its client gives up", () => {
  for (const kind of CLIENT_KINDS)
    it(`has its tool's signal aborted; a write that had begun is of unknown outcome until it ends (${kind})`, async () => {
      const client = await world.client(kind);
      const giveUp = new AbortController();
      const { call, run, at } = await begin(client, "pay", { late: kind }, giveUp.signal);
      const { signal } = answers.ctx(at);
      giveUp.abort(new Error("enough"));
      await assert.rejects(call);
      if (!signal.aborted) await aborted(signal);
      assert.deepEqual(
        (await world.log(run)).map(({ event }) => event.kind),
        ["RunStarted", "ToolCallRequested"],
      );
      const calls = answers.calls;
      const again = await client.call("pay", { late: kind });
      assert.equal(again.isError, true);
      assert.match(textOf(again), /unknown|being performed|nobody knows/);
      assert.equal(runOf(again), run);
      // It did not heed its signal, and ends late: that is what happened.
      answers.end("paid late", at);
      await recorded(run, 3);
      const settled = await client.call("pay", { late: kind });
      assert.equal(textOf(settled), "paid late");
      assert.equal(answers.calls, calls);
    });

  it("is performed again when it is a read, and was not recorded as failed", async () => {
    const client = await world.client("2025-11-25");
    const giveUp = new AbortController();
    const meta = { "salvor.dev/idempotency-key": "look once" };
    const before = answers.calls;
    const call = client.call("look", {}, { signal: giveUp.signal, meta });
    call.catch(() => undefined);
    await answers.begun(before + 1);
    const { runId = "", signal } = answers.ctx(before);
    giveUp.abort(new Error("enough"));
    await assert.rejects(call);
    if (!signal.aborted) await aborted(signal);
    answers.fail(new Error("aborted"), before);
    const again = client.call("look", {}, { meta });
    await answers.begun(before + 2);
    answers.end("seen", before + 1);
    assert.equal(textOf(await again), "seen");
    assert.equal(runOf(await again), runId);
  });

  it("goes on for another who asked for the same named call", async () => {
    const [one, two] = [await world.client("2025-11-25"), await world.client("2026-07-28")];
    const meta = { "salvor.dev/idempotency-key": "shared" };
    const giveUp = new AbortController();
    const before = answers.calls;
    const first = one.call("pay", { shared: true }, { meta, signal: giveUp.signal });
    first.catch(() => undefined);
    await answers.begun(before + 1);
    const heard = new AbortController();
    const onprogress = (): void => {
      heard.abort();
    };
    const second = two.call("pay", { shared: true }, { meta, onprogress });
    // It waits for the same call once what the tool says reaches it.
    while (!heard.signal.aborted) {
      answers.ctx(before).log.info("still at it");
      await new Promise((resolve) => setImmediate(resolve));
    }
    giveUp.abort(new Error("enough"));
    await assert.rejects(first);
    assert.equal(answers.ctx(before).signal.aborted, false);
    answers.end("for both", before);
    assert.equal(textOf(await second), "for both");
    assert.equal(answers.calls, before + 1);
  });
});

describe("a call that is open elsewhere under the key that its tool declares", () => {
  it("is refused while that is performed, and copies its answer after that", async () => {
    const [one, two] = [await world.client("2025-11-25"), await world.client("2026-07-28")];
    const { call, run, at } = await begin(one, "refund", { order: "o1" });
    const refused = await two.call("refund", { order: "o1" });
    assert.equal(refused.isError, true);
    assert.equal(runOf(refused), run);
    answers.end("refunded", at);
    assert.equal(textOf(await call), "refunded");
    const copied = await two.call("refund", { order: "o1" });
    assert.equal(textOf(copied), "refunded");
    assert.equal(copied._meta["salvor.dev/deduplicated-from"], run);
    const collision = await two.call("refund", { order: "o1", amount: 3 });
    assert.equal(collision.isError, true);
    assert.match(textOf(collision), /One key, one input/);
  });
});

describe("a run that a person abandons", () => {
  it("leaves its unnamed call free to be asked for as another", async () => {
    const client = await world.client("2025-11-25");
    const giveUp = new AbortController();
    const { call, run, at } = await begin(client, "pay", { to: "abandoned" }, giveUp.signal);
    giveUp.abort(new Error("enough"));
    await assert.rejects(call);
    answers.fail(new Error("no idea"), at);
    // Until then a person is told that it is executing.
    while ((await world.store.execution(run)) !== undefined)
      await new Promise((resolve) => setImmediate(resolve));
    await new SalvorClient({ url: world.url }).abandon(run, { reason: "never mind" });
    const named = await client.call("pay", { to: "abandoned" }, { meta: { "salvor.dev/run": run } });
    assert.match(textOf(named), /was abandoned by a person.*Nobody knows whether it happened/);
    const other = await begin(client, "pay", { to: "abandoned" });
    answers.end("paid", other.at);
    assert.equal(textOf(await other.call), "paid");
    assert.notEqual(other.run, run);
  });
});
