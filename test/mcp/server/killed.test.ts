import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { spawnServer } from "../../support/spawn-server.js";
import { toolModule } from "../../support/tool-module.js";
import { connect, type AskOptions, type ClientKind, type Result, type TestClient } from "./clients.js";
import { runOf, textOf } from "./mcp-world.js";
import { SalvorClient, type Resolution } from "#salvor/client/index.js";

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

let folder: string;
let clients: TestClient[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "salvor-mcp-"));
  clients = [];
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await writeFile(join(folder, "tools.js"), toolModule(MODULE.replace("HERE", folder)));
});
afterEach(async () => {
  await Promise.all(clients.map((each) => each.close()));
  await rm(folder, { recursive: true, force: true });
});

async function start(kind: ClientKind = "2025-11-25"): Promise<TestClient> {
  const args = ["--tools", join(folder, "tools.js"), "--data", join(folder, "data")];
  const client = await connect(kind, { args });
  clients.push(client);
  return client;
}

async function book(): Promise<readonly string[]> {
  return (await readFile(join(folder, "book"), "utf8")).split("\n").slice(0, -1);
}

/** Has a call made, and the server killed when its effect has happened and its answer has not left. */
async function killInside(
  kind: ClientKind,
  tool: string,
  line: string,
  options: AskOptions = {},
): Promise<void> {
  await writeFile(join(folder, "hang"), "");
  const client = await start(kind);
  let lost: Promise<void> = Promise.resolve();
  await new Promise<void>((written) => {
    lost = assert.rejects(
      client.call(
        tool,
        { line },
        {
          ...options,
          onprogress: () => {
            written();
          },
        },
      ),
    );
  });
  process.kill(client.pid, "SIGKILL");
  await lost;
  await rm(join(folder, "hang"));
}

/** A person decides about a call while no MCP server uses the folder. */
async function decide(
  run: string,
  how: { output: { line: string } } | { not_performed: true },
): Promise<void> {
  const server = await spawnServer({ dataDir: join(folder, "data") });
  try {
    const resolution: Resolution = { seq: 1, note: "looked up", ...how };
    await new SalvorClient({ url: server.url }).resolve(run, resolution);
  } finally {
    await server.stop();
  }
}

function assertUnknown(result: Result): string {
  assert.equal(result.isError, true);
  const run = runOf(result);
  assert.match(textOf(result), /nobody knows whether its effect happened: it is not performed again/);
  assert.match(textOf(result), new RegExp(`salvor resolve ${run}`));
  assert.match(textOf(result), /salvor serve --data/);
  return run;
}

describe("a server that is killed in the middle of a write, and asked the same again", () => {
  it("does not perform it again, says which run a person has to settle, and gives the person's answer after that", async () => {
    await killInside("2025-11-25", "pay", "5 to ada");
    const second = await start();
    const run = assertUnknown(await second.call("pay", { line: "5 to ada" }));
    assert.equal(assertUnknown(await second.call("pay", { line: "5 to ada" })), run);
    assert.deepEqual(await book(), ["5 to ada"]);
    // Nothing else is held up.
    assert.equal(textOf(await second.call("pay", { line: "7 to bo" })), '{"line":"7 to bo"}');
    await second.close();

    await decide(run, { output: { line: "5 to ada" } });
    const third = await start();
    const settled = await third.call("pay", { line: "5 to ada" });
    assert.equal(runOf(settled), run);
    assert.equal(settled._meta["salvor.dev/replayed"], true);
    assert.equal(textOf(settled), '{"line":"5 to ada"}');
    assert.deepEqual(await book(), ["5 to ada", "7 to bo"]);
    // That answer has arrived: the next one is another payment.
    assert.notEqual(runOf(await third.call("pay", { line: "5 to ada" })), run);
    assert.deepEqual(await book(), ["5 to ada", "7 to bo", "5 to ada"]);
  });

  it("does the same for a call that its client has named, until a person says that it did not happen", async () => {
    const meta = { "salvor.dev/idempotency-key": "order 17" };
    await killInside("2026-07-28", "pay", "9", { meta });
    const second = await start("2026-07-28");
    const run = assertUnknown(await second.call("pay", { line: "9" }, { meta }));
    const other = await second.call("pay", { line: "10" }, { meta });
    assert.equal(other.isError, true);
    assert.match(textOf(other), /another input.*one name, one call/);
    assert.deepEqual(await book(), ["9"]);
    await second.close();

    await decide(run, { not_performed: true });
    const third = await start("2026-07-28");
    const performed = await third.call("pay", { line: "9" }, { meta });
    assert.notEqual(runOf(performed), run);
    assert.equal(performed.isError, undefined);
    assert.deepEqual(await book(), ["9", "9"]);
    assert.equal(runOf(await third.call("pay", { line: "9" }, { meta })), runOf(performed));
    assert.deepEqual(await book(), ["9", "9"]);
  });

  it("does the same for a tool that declares a key, whose answer is copied for good after that", async () => {
    await killInside("sdk 1", "refund", "r1");
    const second = await start("sdk 1");
    const run = assertUnknown(await second.call("refund", { line: "r1" }));
    await second.close();
    await decide(run, { output: { line: "r1" } });
    const third = await start("sdk 1");
    for (const _ of [1, 2]) {
      const copied = await third.call("refund", { line: "r1" });
      assert.equal(copied._meta["salvor.dev/deduplicated-from"], run);
      assert.equal(textOf(copied), '{"line":"r1"}');
    }
    assert.deepEqual(await book(), ["r1"]);
  });

  it("performs an idempotent call again", async () => {
    await killInside("2025-11-25", "put", "p");
    await killInside("2025-11-25", "keep", "k");
    const second = await start();
    assert.equal(textOf(await second.call("put", { line: "p" })), '{"line":"p"}');
    assert.equal(textOf(await second.call("keep", { line: "k" })), '{"line":"k"}');
    assert.deepEqual(await book(), ["p", "k", "p", "k"]);
  });
});
