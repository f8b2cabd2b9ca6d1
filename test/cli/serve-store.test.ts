import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { PASSWORD, TestPostgres } from "../support/postgres.js";
import { runSalvor, type Finished } from "../support/run-salvor.js";
import { spawnServer } from "../support/spawn-server.js";

let postgres: TestPostgres;
before(async () => {
  postgres = await TestPostgres.start();
});
after(() => postgres.stop());

async function refused(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  const finished = await runSalvor(["serve", "--bind", "127.0.0.1:0", ...args], { env });
  assert.equal(finished.stdout, "");
  assert.notEqual(finished.code, 0);
  assert.doesNotMatch(finished.stderr, new RegExp(`${PASSWORD}|\\n {4}at `));
  return finished;
}

describe("salvor serve on a database", () => {
  it("says where its logs are, tells of a lost database and never prints the password", async () => {
    const server = await spawnServer({ store: await postgres.createDatabase() });
    assert.match(server.stdout, /^Logs live in the PostgreSQL database salvor_\d+ at 127\.0\.0\.1:\d+$/m);
    await postgres.kill();
    await server.said(/the database is lost/);
    const answer = await fetch(`${server.url}/v1/runs`);
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "1"]);
    assert.equal((await fetch(`${server.url}/readyz`)).status, 503);
    await postgres.startAgain();
    await server.said(/the database answers/);
    while ((await fetch(`${server.url}/readyz`)).status !== 200)
      await new Promise((soon) => setTimeout(soon, 20));
    const { code } = await server.stop();
    assert.equal(code, 0);
    assert.ok(!`${server.stdout}${server.stderr}`.includes(PASSWORD));
  });

  it("warns when the password can be seen in the list of processes", async () => {
    const server = await spawnServer({
      where: ["--store", await postgres.createDatabase()],
    });
    assert.match(server.stdout, /Warning:.*--store-env VAR hides it/);
    assert.ok(!`${server.stdout}${server.stderr}`.includes(PASSWORD));
    await server.stop();
  });

  it("refuses a folder besides it, and two ways to say where it is", async () => {
    const url = postgres.url("postgres");
    for (const args of [
      ["--store", url, "--data", "somewhere"],
      ["--store-env", "DB", "--data", "somewhere"],
      ["--store", url, "--store-env", "DB"],
      ["--store", url, "--force"],
    ]) {
      assert.match((await refused(args, { DB: url })).stderr, /cannot be used with option/);
    }
  });

  it("names the variable that holds no URL", async () => {
    assert.match((await refused(["--store-env", "NO_SUCH_STORE"])).stderr, /NO_SUCH_STORE, which is not set/);
    assert.match((await refused(["--store-env", "EMPTY"], { EMPTY: "" })).stderr, /EMPTY, which is empty/);
    const { stderr } = await refused(["--store-env", postgres.url("postgres")]);
    assert.match(stderr, /take the name of an environment variable, not a secret/);
  });

  it("refuses a wrong password and a text that is no URL, without repeating it", async () => {
    const wrong = postgres.url("postgres").replace(PASSWORD, `${PASSWORD}x`);
    assert.match((await refused(["--store", wrong])).stderr, /password authentication failed/);
    assert.match((await refused(["--store", `mysql://u:${PASSWORD}@h/d`])).stderr, /no URL of a database/);
  });

  it("leaves the URL out of the command that it says to type next", async () => {
    const { stderr } = await refused(["--store", postgres.url("postgres"), "--bind", "0.0.0.0:0"]);
    assert.match(stderr, /--store postgres:\/\/\.\.\. --bind/);
  });

  it("takes whole days of retention only", async () => {
    for (const days of ["0", "-1", "1.5", "soon"]) {
      assert.match((await refused(["--retain", days])).stderr, /whole number of days/);
    }
  });
});
