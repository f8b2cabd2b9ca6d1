import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { envelopeOf } from "#salvor/log/events.js";
import { openPostgresStore } from "#salvor/store/index.js";
import { examineDatabase } from "#salvor/store/postgres/examine-database.js";
import { withClient } from "../../support/postgres-store.js";
import { PASSWORD, TestPostgres } from "../../support/postgres.js";
import { toVersion2 } from "./older-tables.js";

let postgres: TestPostgres;
before(async () => {
  postgres = await TestPostgres.start();
});
after(() => postgres.stop());

/** The states that are found in a database, the worst first, and everything that is said of them. */
async function look(url: string): Promise<{ readonly states: readonly string[]; readonly said: string }> {
  const { findings } = await examineDatabase({ url, place: "a database", option: "--store-env DB" });
  const said = findings.map(({ level, says, next }) => `${level}: ${says} -> ${next}`).join("\n");
  assert.ok(!said.includes(PASSWORD) && !said.includes("secret"), said);
  return { states: findings.map(({ state }) => state), said };
}

/** A database with one run of two events. */
async function filled(): Promise<{ readonly url: string; readonly run: string }> {
  const url = await postgres.createDatabase();
  const store = await openPostgresStore(url);
  const run = crypto.randomUUID();
  const stamp = "2026-01-01T00:00:00.000Z";
  const started = { kind: "RunStarted", payload: { agent_def_hash: "desk", input: null } } as const;
  const observed = { kind: "NowObserved", payload: { now: "now" } } as const;
  await store.append(run, [envelopeOf(run, 0, stamp, started), envelopeOf(run, 1, stamp, observed)]);
  await store.close();
  return { url, run };
}

const sql = (url: string, text: string) => withClient(url, (client) => client.query(text));

describe("a database is said to be", { concurrency: 4 }, () => {
  it("unreachable, with the way there", async () => {
    const { states, said } = await look(postgres.url("postgres").replace(/:\d+\//, ":1/"));
    assert.deepEqual(states, ["unreachable"]);
    assert.match(said, /^problem: .*ECONNREFUSED/);
  });

  it("one that refuses us, and no URL at all", async () => {
    const right = postgres.url("postgres");
    const wrong = await look(right.replace(PASSWORD, "wrong-secret"));
    assert.deepEqual(wrong.states, ["refused"]);
    assert.match(wrong.said, /password authentication failed/);
    assert.deepEqual((await look(right.replace("/postgres", "/nowhere"))).states, ["refused"]);
    assert.deepEqual((await look("mysql://secret@127.0.0.1/x")).states, ["not_a_url"]);
  });

  it("empty, and stays so", async () => {
    const url = await postgres.createDatabase();
    const { states, said } = await look(url);
    assert.deepEqual(states, ["empty"]);
    assert.match(said, /^note: .*salvor serve --store-env DB/);
    const { rows } = await sql(url, "SELECT 1 FROM pg_namespace WHERE nspname = 'salvor'");
    assert.deepEqual(rows, []);
  });

  it("healthy, with how much it holds", async () => {
    const { url } = await filled();
    const { states, said } = await look(url);
    assert.deepEqual(states, ["healthy"]);
    assert.match(said, /^ok: .*1 runs, 2 events, 0 identities, in \d+ kB/);
  });

  it("in use, with how many connections from where", async () => {
    const { url } = await filled();
    const store = await openPostgresStore(url);
    try {
      const { states, said } = await look(url);
      assert.deepEqual([...states].sort(), ["healthy", "in_use"]);
      assert.match(said, /6 connections of servers, from 127\.0\.0\.1/);
    } finally {
      await store.close();
    }
  });

  it("of a newer version", async () => {
    const { url } = await filled();
    await sql(url, "INSERT INTO salvor.migrations (version) VALUES (1000)");
    const { states, said } = await look(url);
    assert.deepEqual(states, ["newer_format"]);
    assert.match(said, /version 1000/);
  });

  it("of an older version, with the way to this one, and stays so until a server starts", async () => {
    const { url } = await filled();
    await toVersion2(url);
    const { states, said } = await look(url);
    assert.deepEqual(states, ["older_format"]);
    assert.match(said, /^note: the tables are of version 2; this program works with version \d+/);
    assert.match(said, /stop the older servers, then start this one: salvor serve --store-env DB/);
    assert.deepEqual((await look(url)).states, ["older_format"]);
    await (await openPostgresStore(url)).close();
    assert.deepEqual((await look(url)).states, ["healthy"]);
  });

  it("one with a run that cannot be trusted, which is named", async () => {
    const { url, run } = await filled();
    await sql(url, "UPDATE salvor.runs SET unreadable_seq = 1, unreadable_why = 'changed'");
    const { states, said } = await look(url);
    assert.deepEqual(states, ["unreadable_runs", "content"]);
    assert.match(said, new RegExp(`${run} from seq 1 on`));
  });

  it("one whose settings are not safe, or do not let us write", async () => {
    const { url } = await filled();
    const name = url.split("/").at(-1);
    await sql(url, `ALTER DATABASE ${name} SET synchronous_commit TO off`);
    assert.deepEqual((await look(url)).states, ["asynchronous_commit", "healthy"]);
    await sql(url, `ALTER DATABASE ${name} SET default_transaction_read_only TO on`);
    assert.deepEqual((await look(url)).states, ["read_only", "asynchronous_commit", "healthy"]);
  });

  it("one where this user lacks rights, each with the statement that gives it", async () => {
    const { url } = await filled();
    const role = `clerk_${url.split("_").at(-1)}`;
    await sql(url, `CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`);
    const as = url.replace("//salvor:", `//${role}:`);
    assert.match((await look(as)).said, /may not use the schema/);
    await sql(url, `GRANT USAGE ON SCHEMA salvor TO ${role}`);
    await sql(url, `GRANT SELECT ON ALL TABLES IN SCHEMA salvor TO ${role}`);
    const { states, said } = await look(as);
    assert.deepEqual(states, ["no_permission"]);
    for (const table of ["runs", "notices"])
      assert.match(said, new RegExp(`GRANT INSERT, UPDATE ON salvor\\.${table} TO ${role}`));
    const empty = await look((await postgres.createDatabase()).replace("//salvor:", `//${role}:`));
    assert.match(empty.said, /GRANT CREATE ON DATABASE/);
  });
});
