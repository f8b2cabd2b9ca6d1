import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runSalvor, type Finished } from "../support/run-salvor.js";
import { spawnServer, type SpawnedServer } from "../support/spawn-server.js";
import { BANK_PAYOUT, REFUND_CARD, toolFiles, type ToolFiles } from "../support/tool-files.js";
import { SalvorClient, type Drive } from "#salvor/client/index.js";
import { envelopeOf } from "#salvor/log/events.js";
import { claiming } from "#salvor/store/append-unit.js";
import { Conflict, openLowdbStore, RunErased } from "#salvor/store/index.js";

const REFUND = { order_id: "ORDER-4711", amount_cents: 500 };
const RECEIPT = { refund_id: "re_SECRET_17", amount_cents: 500 };
const root = await mkdtemp(join(tmpdir(), "salvor-verbs-"));
const data = join(root, "data");

let files: ToolFiles;
let server: SpawnedServer;
/** A refund that is over, and one whose call is open. */
let ended: Drive;
let open: Drive;
before(async () => {
  files = await toolFiles();
  await files.write("refund-card.toml", REFUND_CARD);
  await files.write("bank-payout.toml", BANK_PAYOUT);
  server = await serve(data);
  ended = await startedRun(server);
  const client = clientOf(server);
  await client.toolIntent(ended, { seq: 1, tool: "refund_card", input: REFUND });
  await client.toolCompletion(ended, 1, { output: RECEIPT });
  await client.appendEvents(ended, [
    envelopeOf(ended.run, 3, "2026-01-01T00:00:00Z", {
      kind: "RandomObserved",
      payload: { value: 2n ** 64n - 1n },
    }),
    envelopeOf(ended.run, 4, "2026-01-01T00:00:00Z", { kind: "RunCompleted", payload: { output: RECEIPT } }),
  ]);
  open = await startedRun(server);
  await client.toolIntent(open, { seq: 1, tool: "refund_card", input: REFUND });
});
after(async () => {
  await server.stop();
  await files.remove();
  await rm(root, { recursive: true });
});

function serve(dir: string): Promise<SpawnedServer> {
  return spawnServer({ dataDir: dir, args: ["--client-tool", files.folder] });
}

function clientOf({ url }: SpawnedServer): SalvorClient {
  return new SalvorClient({ url });
}

async function startedRun(on: SpawnedServer, run: string = randomUUID()): Promise<Drive> {
  const client = clientOf(on);
  const { drive_token: driveToken } = await client.openRun({ runId: run });
  const payload = { agent_def_hash: "desk", input: { order: "ORDER-4711" } };
  await client.appendEvents({ run, driveToken }, [
    envelopeOf(run, 0, "2026-01-01T00:00:00Z", { kind: "RunStarted", payload }),
  ]);
  return { run, driveToken };
}

/** Every byte of a folder, as text. */
async function everything(dir: string): Promise<string> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(paths.map((path) => readFile(path, "latin1")))).join("\n");
}

async function copyOfData(name: string): Promise<string> {
  const dest = join(root, name);
  const { code, stderr } = await runSalvor(["backup", dest, "--data", data]);
  assert.equal(code, 0, stderr);
  return dest;
}

async function exported(run: string, dir = data): Promise<string> {
  const { code, stdout, stderr } = await runSalvor(["export", run, "--data", dir]);
  assert.equal(code, 0, stderr);
  return stdout;
}

describe("beside a running server", () => {
  it("salvor verify and salvor doctor find everything in order, and say who has the folder", async () => {
    const verified = await runSalvor(["verify", "--data", data]);
    assert.equal(verified.code, 0, verified.stderr);
    assert.match(verified.stdout, /^ok {2}7 events of 2 runs hold\n$/);
    const { code, stdout } = await runSalvor(["doctor", "--data", data]);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`ok +in use by process ${server.pid} on host`));
  });

  it("salvor export prints the same from the folder and from the server, with every digit", async () => {
    const fromServer = await runSalvor(["export", ended.run, "--url", server.url]);
    const fromFolder = await runSalvor(["export", ended.run, "--data", data]);
    assert.deepEqual(fromFolder, fromServer);
    assert.equal(fromFolder.stdout.trimEnd().split("\n").length, 5);
    assert.match(fromFolder.stdout, /"value":18446744073709551615/);
    assert.match(fromFolder.stderr, /^5 events of run \S+; the last hash is [0-9a-f]{64}\n$/);
  });

  it("salvor erase and salvor import refuse, and name the server that has the folder", async () => {
    const file = join(root, "while-in-use.jsonl");
    await writeFile(file, await exported(ended.run));
    for (const args of [
      ["erase", ended.run, "--yes"],
      ["import", file],
    ]) {
      const { code, stderr } = await runSalvor([...args, "--data", data]);
      assert.equal(code, 1);
      assert.match(
        stderr,
        new RegExp(`used by process ${server.pid}.*Next: stop that server, then: salvor ${args[0]}`, "s"),
      );
    }
  });

  it("salvor backup makes a folder that a server starts on, where the order is not refunded again", async () => {
    const dest = await copyOfData("restored");
    const restored = await serve(dest);
    try {
      const client = clientOf(restored);
      const { drive_token: driveToken } = await client.openRun({ runId: open.run });
      const again = { run: open.run, driveToken };
      await client.toolCompletion(again, 1, { output: RECEIPT });
      const answer = await client.toolIntent(again, { seq: 3, tool: "refund_card", input: REFUND });
      assert.equal(answer.settled, true);
      assert.deepEqual(answer.output, RECEIPT);
    } finally {
      await restored.stop();
    }
    const json = JSON.parse((await runSalvor(["verify", "--data", dest, "--json"])).stdout) as object;
    assert.deepEqual(json, { ok: true, runs: 2, events: 10, torn_bytes: 0, findings: [] });
  });

  it("salvor backup refuses a place that is taken", async () => {
    const { code, stderr } = await runSalvor(["backup", root, "--data", data]);
    assert.equal(code, 1);
    assert.match(stderr, /is not empty.*Next: salvor backup DEST/s);
  });
});

describe("salvor erase", () => {
  it("removes every byte of a run that has ended; its id and what it settled stay taken", async () => {
    const dir = await copyOfData("erased");
    assert.match(await everything(dir), /re_SECRET_17/);
    const key = /"idempotency_key":"([^"]+)"/.exec(await exported(ended.run, dir))?.[1] ?? "";
    const openKey = /"idempotency_key":"([^"]+)"/.exec(await exported(open.run, dir))?.[1] ?? "";
    const { code, stdout, stderr } = await runSalvor(["erase", ended.run, "--data", dir, "--yes", "--json"]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), { run: ended.run, erased: true, events: 5 });
    assert.doesNotMatch(await everything(dir), /re_SECRET_17/);
    assert.equal((await runSalvor(["verify", "--data", dir])).code, 0);
    const store = await openLowdbStore({ dir });
    const other = randomUUID();
    const started = { kind: "RunStarted", payload: { agent_def_hash: "x", input: null } } as const;
    const begin = [envelopeOf(other, 0, "2026-01-01T00:00:00Z", started)];
    await assert.rejects(store.append(other, begin, claiming(key, 0)), Conflict);
    await assert.rejects(store.append(other, begin, claiming(openKey, 0)), Conflict);
    await assert.rejects(store.openRun(ended.run, "x", { kind: "client", record_prompts: false }), RunErased);
    await store.close();
    const again = await runSalvor(["export", ended.run, "--data", dir]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /was erased/);
    const restored = await serve(dir);
    try {
      await assert.rejects(clientOf(restored).openRun({ runId: ended.run }), {
        status: 409,
        code: "run_exists",
      });
    } finally {
      await restored.stop();
    }
  });

  it("refuses a run that has not ended, one that is not there, and to do it unasked", async () => {
    const dir = await copyOfData("not-erased");
    const before = await everything(dir);
    for (const [args, code, message] of [
      [[open.run, "--yes"], 1, /is needs_reconciliation: only a run that has ended.*Next: salvor abandon/s],
      [[randomUUID(), "--yes"], 1, /there is no run/],
      [[ended.run], 2, /asks before.*--yes/s],
    ] as const) {
      const { stderr, ...finished } = await runSalvor(["erase", ...args, "--data", dir]);
      assert.equal(finished.code, code);
      assert.match(stderr, message);
    }
    for (const secret of ["re_SECRET_17", open.run])
      assert.ok(before.includes(secret) && (await everything(dir)).includes(secret));
  });
});

describe("salvor import", () => {
  async function imported(lines: string, dir: string, ...more: readonly string[]): Promise<Finished> {
    return runSalvor(["import", "-", "--data", dir, ...more], { stdin: lines });
  }

  it("brings runs back as they were: their chains, who drives them, and what their calls hold", async () => {
    const lines = (await exported(ended.run)) + (await exported(open.run));
    const dir = join(root, "imported");
    const { code, stdout, stderr } = await imported(lines, dir, "--json");
    assert.equal(code, 0, stderr);
    const hash = /hash is (\w+)/.exec((await runSalvor(["export", ended.run, "--data", data])).stderr)?.[1];
    const report = JSON.parse(stdout) as { imported: { run: string; events: number; tip: string }[] };
    assert.deepEqual(report.imported[0], { run: ended.run, events: 5, tip: hash });
    assert.equal((await exported(ended.run, dir)) + (await exported(open.run, dir)), lines);

    const target = await serve(dir);
    try {
      const client = clientOf(target);
      const { drive_token: driveToken } = await client.openRun({ runId: open.run });
      const drive = { run: open.run, driveToken };
      await client.toolCompletion(drive, 1, { output: RECEIPT });
      const answer = await client.toolIntent(drive, { seq: 3, tool: "refund_card", input: REFUND });
      assert.equal(answer.settled, true, "the order would be refunded a second time");
    } finally {
      await target.stop();
    }
  });

  it("refuses a run that is there already, and takes the others", async () => {
    const dir = join(root, "imported-twice");
    const one = await exported(ended.run);
    assert.equal((await imported(one, dir)).code, 0);
    const { code, stdout } = await imported(one + (await exported(open.run)), dir, "--json");
    assert.equal(code, 1);
    const report = JSON.parse(stdout) as { ok: boolean; imported: { run: string }[]; refused: object[] };
    assert.deepEqual(
      report.imported.map(({ run }) => run),
      [open.run],
    );
    assert.deepEqual(report.refused, [
      { run: ended.run, code: "run_exists", message: `run ${ended.run} is here already, with 5 events` },
    ]);
  });

  it("refuses a run whose call another run did already, wholly", async () => {
    const dir = join(root, "imported-rival");
    const key = /"idempotency_key":"([^"]+)"/.exec(await exported(ended.run))?.[1] ?? "";
    const store = await openLowdbStore({ dir });
    const rival = randomUUID();
    const started = { kind: "RunStarted", payload: { agent_def_hash: "x", input: null } } as const;
    await store.append(rival, [envelopeOf(rival, 0, "2026-01-01T00:00:00Z", started)], claiming(key, 0));
    await store.close();
    const { code, stderr } = await imported(await exported(ended.run), dir);
    assert.equal(code, 1);
    assert.match(
      stderr,
      new RegExp(`conflict: run ${ended.run} does a call that another run did already.*${rival}`),
    );
    assert.equal((await runSalvor(["export", ended.run, "--data", dir])).stdout, "");
  });

  for (const [fault, change, message] of [
    ["an event is missing", (lines: string[]) => lines.toSpliced(1, 1), /line 2: .*no gap, no overlap/],
    [
      "a completion has no intent",
      (lines: string[]) => [lines[0], lines[2]?.replace('"seq":2,', '"seq":1,')],
      /line 2: .*a completion has its intent/,
    ],
    [
      "a number was rounded",
      (lines: string[]) => lines.map((line) => line.replace("18446744073709551615", "18446744073709552000")),
      /line 4: /,
    ],
    ["a line is no JSON", (lines: string[]) => [...lines, "{"], /line 6: /],
    [
      "a payload has lost a field",
      (lines: string[]) => [lines[0]?.replace('"agent_def_hash":"desk",', "")],
      /line 1: .*agent_def_hash/,
    ],
    [
      "an event is of another run",
      (lines: string[]) => [lines[0], lines[1]?.replace(/[0-9a-f-]{36}/, randomUUID())],
      /line 2: /,
    ],
    [
      "its kind is unknown",
      (lines: string[]) => [lines[0]?.replace("RunStarted", "RunDreamt")],
      /line 1: .*RunDreamt/,
    ],
  ] as const) {
    it(`refuses a file in which ${fault}, naming the line, and makes no folder`, async () => {
      const lines = (await exported(ended.run)).trimEnd().split("\n");
      const dir = join(root, "never-made");
      const { code, stderr } = await imported(change(lines).join("\n"), dir);
      assert.equal(code, 1);
      assert.match(stderr, message);
      await assert.rejects(readdir(dir), { code: "ENOENT" });
    });
  }
});
