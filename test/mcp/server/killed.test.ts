import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { toolModule } from "../../support/tool-module.js";
import { connect, type ClientKind, type Result, type TestClient } from "./clients.js";
import { runOf, textOf } from "./mcp-world.js";
import { DurableRun, type Decision } from "#salvor/runtime/index.js";
import { openLowdbStore } from "#salvor/store/index.js";

/** Each tool writes a line into a book, and does not come back from it while the file `hang` is there. */
const MODULE = `
const here = ${JSON.stringify("HERE")};
const work = (ctx, { line }) => {
  appendFileSync(here + "/book", line + "\\n");
  ctx.log.info("written");
  return existsSync(here + "/hang") ? never : { line };
};
add("pay", "write", work);
add("refund", "write", work, { idempotencyKey: "line" });
add("put", "idempotent", work, { idempotencyKey: "line" });
add("keep", "idempotent", work);
`;

const NAMED = { meta: { "salvor.dev/idempotency-key": "order 17" } };

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "salvor-mcp-"));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await writeFile(join(folder, "tools.js"), toolModule(MODULE.replace("HERE", folder)));
});
after(() => rm(folder, { recursive: true, force: true }));

function start(kind: ClientKind): Promise<TestClient> {
  return connect(kind, { args: ["--tools", join(folder, "tools.js"), "--data", join(folder, "data")] });
}

/** How often each line is in the book. */
async function written(line: string): Promise<number> {
  const book = await readFile(join(folder, "book"), "utf8");
  return book.split("\n").filter((each) => each === line).length;
}

/** A person decides about calls while no server uses the folder. */
async function decide(...decisions: readonly (readonly [run: string, decision: Decision])[]): Promise<void> {
  const store = await openLowdbStore({ dir: join(folder, "data") });
  for (const [run, decision] of decisions) {
    const resumed = await DurableRun.resume(store, run, { get: () => undefined, names: () => [] });
    await resumed.resolve(decision);
  }
  await store.close();
}

function assertUnknown(result: Result): string {
  assert.equal(result.isError, true);
  const run = runOf(result);
  assert.match(textOf(result), /nobody knows whether its effect happened: it is not performed again/);
  assert.match(textOf(result), new RegExp(`salvor resolve ${run}`));
  assert.match(textOf(result), /salvor serve --data/);
  return run;
}

describe("a server that was killed in the middle of calls whose effects had happened", () => {
  let unnamed: string;
  let named: string;
  let keyed: string;
  let client: TestClient;
  before(async () => {
    await writeFile(join(folder, "hang"), "");
    const killed = await start("2025-11-25");
    const lost: Promise<void>[] = [];
    const inside = (tool: string, line: string, options = {}): Promise<void> =>
      new Promise((effect) => {
        const onprogress = (): void => {
          effect();
        };
        lost.push(assert.rejects(killed.call(tool, { line }, { ...options, onprogress })));
      });
    await Promise.all([
      inside("pay", "unnamed"),
      inside("pay", "named", NAMED),
      inside("refund", "keyed"),
      inside("put", "put"),
      inside("keep", "kept"),
    ]);
    process.kill(killed.pid, "SIGKILL");
    await Promise.all(lost);
    await rm(join(folder, "hang"));
    client = await start("2026-07-28");
  });
  after(() => client.close());

  it("does not perform a write again, and says which run a person has to settle, as often as it is asked", async () => {
    unnamed = assertUnknown(await client.call("pay", { line: "unnamed" }));
    assert.equal(assertUnknown(await client.call("pay", { line: "unnamed" })), unnamed);
    assert.equal(await written("unnamed"), 1);
  });

  it("does the same for a call that its client has named, and lets no other take the name", async () => {
    named = assertUnknown(await client.call("pay", { line: "named" }, NAMED));
    const other = await client.call("pay", { line: "another" }, NAMED);
    assert.equal(other.isError, true);
    assert.match(textOf(other), /another input.*one name, one call/);
    assert.deepEqual([await written("named"), await written("another")], [1, 0]);
  });

  it("does the same for a tool that declares a key", async () => {
    keyed = assertUnknown(await client.call("refund", { line: "keyed" }));
    assert.equal(await written("keyed"), 1);
  });

  it("performs an idempotent call again", async () => {
    assert.equal(textOf(await client.call("put", { line: "put" })), '{"line":"put"}');
    assert.equal(textOf(await client.call("keep", { line: "kept" })), '{"line":"kept"}');
    assert.deepEqual([await written("put"), await written("kept")], [2, 2]);
  });

  it("is not held up: another write is performed", async () => {
    assert.equal(textOf(await client.call("pay", { line: "other" })), '{"line":"other"}');
  });

  describe("once a person has said what happened", () => {
    before(async () => {
      await client.close();
      await decide(
        [unnamed, { seq: 1, output: { line: "unnamed" }, note: "looked up" }],
        [named, { seq: 1, notPerformed: true }],
        [keyed, { seq: 1, output: { line: "keyed" } }],
      );
      client = await start("sdk 1");
    });

    it("gives that answer to who asks again, once: the next one is another call", async () => {
      const settled = await client.call("pay", { line: "unnamed" });
      assert.equal(runOf(settled), unnamed);
      assert.equal(settled._meta["salvor.dev/replayed"], true);
      assert.equal(textOf(settled), '{"line":"unnamed"}');
      assert.equal(await written("unnamed"), 1);
      assert.notEqual(runOf(await client.call("pay", { line: "unnamed" })), unnamed);
      assert.equal(await written("unnamed"), 2);
    });

    it("performs a named call that did not happen, once", async () => {
      const performed = await client.call("pay", { line: "named" }, NAMED);
      assert.notEqual(runOf(performed), named);
      assert.equal(performed.isError, undefined);
      assert.equal(runOf(await client.call("pay", { line: "named" }, NAMED)), runOf(performed));
      assert.equal(await written("named"), 2);
    });

    it("copies the answer under a declared key for good", async () => {
      const twice = [
        await client.call("refund", { line: "keyed" }),
        await client.call("refund", { line: "keyed" }),
      ];
      for (const copied of twice) {
        assert.equal(copied._meta["salvor.dev/deduplicated-from"], keyed);
        assert.equal(textOf(copied), '{"line":"keyed"}');
      }
      assert.equal(await written("keyed"), 1);
    });
  });
});
