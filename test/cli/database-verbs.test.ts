import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { envelopeOf, type RunEvent } from "#salvor/log/events.js";
import { openPostgresStore, type EventStore } from "#salvor/store/index.js";
import { withClient } from "../support/postgres-store.js";
import { PASSWORD, TestPostgres } from "../support/postgres.js";
import { runSalvor, type Finished } from "../support/run-salvor.js";

const root = await mkdtemp(join(tmpdir(), "salvor-database-verbs-"));
const RUN = "11111111-0000-4000-8000-000000000000";
const OPEN = "22222222-0000-4000-8000-000000000000";
let postgres: TestPostgres;
let url: string;

before(async () => {
  postgres = await TestPostgres.start();
  url = await postgres.createDatabase();
  const store = await openPostgresStore(url);
  await record(store, RUN, [
    { kind: "RunStarted", payload: { agent_def_hash: "desk", input: "a private thing" } },
    { kind: "RunCompleted", payload: { output: null } },
  ]);
  await record(store, OPEN, [{ kind: "RunStarted", payload: { agent_def_hash: "desk", input: null } }]);
  await store.close();
});
after(async () => {
  await Promise.all([postgres.stop(), rm(root, { recursive: true, force: true })]);
});

function record(store: EventStore, run: string, events: readonly RunEvent[]): Promise<void> {
  return store.append(
    run,
    events.map((event, seq) => envelopeOf(run, seq, "2026-01-01T00:00:00.000Z", event)),
  );
}

async function salvor(args: readonly string[], database = url): Promise<Finished> {
  const finished = await runSalvor([...args, "--store-env", "DB"], { env: { DB: database } });
  assert.doesNotMatch(`${finished.stdout}${finished.stderr}`, new RegExp(`${PASSWORD}|\\n {4}at `));
  return finished;
}

describe("on a database", () => {
  it("doctor says what is so, in words and as JSON, and exits with it", async () => {
    const [text, json, away] = await Promise.all([
      salvor(["doctor"]),
      salvor(["doctor", "--json"]),
      salvor(["doctor"], postgres.url("nowhere")),
    ]);
    assert.equal(text.code, 0);
    assert.match(
      text.stdout,
      /^the PostgreSQL database salvor_\d+ at 127[^]*healthy[^]*Next: salvor serve --store-env DB/,
    );
    const report = JSON.parse(json.stdout) as { ok: boolean; findings: { state: string }[] };
    assert.deepEqual([report.ok, report.findings.map(({ state }) => state)], [true, ["healthy"]]);
    assert.equal(away.code, 1);
    assert.match(away.stdout, /"nowhere" does not exist/);
  });

  it("a run is exported, and imported into another database, once", async () => {
    const exported = await salvor(["export", RUN]);
    assert.equal(exported.code, 0, exported.stderr);
    assert.equal(exported.stdout.trim().split("\n").length, 2);
    const file = join(root, "run.jsonl");
    await writeFile(file, exported.stdout);
    const other = await postgres.createDatabase();
    const imported = await salvor(["import", file], other);
    assert.deepEqual([imported.code, imported.stderr], [0, ""]);
    const [tip] = /[0-9a-f]{64}/.exec(exported.stderr) ?? [];
    assert.ok(tip !== undefined && imported.stdout.includes(tip));
    const [again, verified] = await Promise.all([
      salvor(["import", file, "--json"], other),
      salvor(["verify", "--json"], other),
    ]);
    assert.equal(again.code, 1);
    assert.match(again.stdout, /run_exists/);
    assert.deepEqual(JSON.parse(verified.stdout), {
      ok: true,
      runs: 1,
      events: 2,
      torn_bytes: 0,
      findings: [],
    });
  });

  it("verbs that only read make no tables, and say that there are none", async () => {
    const empty = await postgres.createDatabase();
    for (const finished of await Promise.all(
      [["export", RUN], ["verify"], ["erase", RUN, "--yes"]].map((args) => salvor(args, empty)),
    )) {
      assert.equal(finished.code, 1);
      assert.match(finished.stderr, /holds no tables of salvor[^]*salvor doctor --store-env DB/);
    }
    const tables = await withClient(empty, (client) =>
      client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'salvor'"),
    );
    assert.equal(tables.rowCount, 0);
  });

  it("verify names the run and the position that do not hold", async () => {
    await withClient(url, async (client) => {
      await client.query("ALTER TABLE salvor.events DISABLE TRIGGER USER");
      await client.query("UPDATE salvor.events SET event = replace(event, 'desk', 'Desk') WHERE run = $1", [
        OPEN,
      ]);
      await client.query("ALTER TABLE salvor.events ENABLE TRIGGER USER");
    });
    const { code, stdout } = await salvor(["verify"]);
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(`run ${OPEN} seq 0: .*salvor\\.events`));
    assert.match(stdout, /1 findings; 2 events of 2 runs hold\nNext: salvor doctor --store-env DB/);
  });

  it("erase removes a run that has ended, and only such a one", async () => {
    const erased = await salvor(["erase", RUN, "--yes"]);
    assert.equal(erased.code, 0, erased.stderr);
    assert.match(erased.stdout, /^Erased run .*: 2 events/);
    const [gone, missing] = await Promise.all([
      salvor(["export", RUN]),
      salvor(["export", "33333333-0000-4000-8000-000000000000"]),
    ]);
    assert.match(gone.stderr, /was erased/);
    assert.match(missing.stderr, /there is no run .* in the PostgreSQL database/);
    assert.deepEqual([gone.code, missing.code], [1, 1]);
  });

  it("backup refuses, and says what does it", async () => {
    const { code, stderr } = await salvor(["backup", join(root, "copy")]);
    assert.equal(code, 2);
    assert.match(stderr, /pg_dump copies it[^]*pg_dump --schema=salvor --file=salvor\.sql "\$DB"/);
  });
});
