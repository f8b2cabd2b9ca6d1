import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openPostgresStore } from "#salvor/store/index.js";
import { examineDatabase } from "#salvor/store/postgres/examine-database.js";
import { TestPostgres } from "../../support/postgres.js";

describe("a whole PostgreSQL is said to be", () => {
  let postgres: TestPostgres;
  let url: string;
  before(async () => {
    postgres = await TestPostgres.start();
    url = await postgres.createDatabase();
    await (await openPostgresStore(url)).close();
  });
  after(() => postgres.stop());

  const look = async () =>
    (await examineDatabase({ url, place: "a database", option: "--store-env DB" })).findings;

  /** Changes a setting, and waits until new sessions have it. */
  async function set(name: string, value: string): Promise<void> {
    await postgres.query("postgres", `ALTER SYSTEM SET ${name} TO ${value}`);
    await postgres.query("postgres", "SELECT pg_reload_conf()");
    for (;;) {
      const [row] = await postgres.query("postgres", `SELECT current_setting('${name}') AS now`);
      if (row?.now === value) return;
    }
  }

  it("not durable when what makes it so is off, with the statement that turns it on", async () => {
    for (const name of ["full_page_writes", "fsync"]) {
      await set(name, "off");
      const [finding] = await look();
      assert.equal(finding.state, "not_durable");
      assert.equal(finding.level, "problem");
      assert.match(finding.says, new RegExp(`${name} is off: .* does not survive a crash`));
      assert.match(finding.next, new RegExp(`ALTER SYSTEM SET ${name} TO on`));
      await set(name, "on");
      assert.deepEqual(
        (await look()).map(({ state }) => state),
        ["healthy"],
      );
    }
    await set("fsync", "off");
    await set("full_page_writes", "off");
    assert.match((await look())[0].says, /^fsync and full_page_writes are off/);
    await set("fsync", "on");
    await set("full_page_writes", "on");
  });

  // The last one: it stays a standby.
  it("a standby when it is one, and nothing is tried on it", async () => {
    await postgres.becomeStandby();
    const [finding] = await look();
    assert.equal(finding.state, "standby");
    assert.equal(finding.level, "problem");
    assert.match(finding.next, /primary/);
  });
});
