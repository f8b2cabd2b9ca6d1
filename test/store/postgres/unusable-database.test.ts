import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { DatabaseRefused, openPostgresStore, StoreUnavailable } from "#salvor/store/index.js";
import { PASSWORD, TestPostgres } from "../../support/postgres.js";

let postgres: TestPostgres;
before(async () => {
  postgres = await TestPostgres.start();
});
after(() => postgres.stop());

describe("a database that cannot be used", () => {
  it("is refused at once when the password is wrong, the database is missing or the URL is none, without the secret", async () => {
    const right = postgres.url("postgres");
    for (const [url, said] of [
      [right.replace(PASSWORD, "wrong-secret"), /password authentication failed/],
      [right.replace("/postgres", "/nowhere"), /"nowhere" does not exist/],
      [`mysql://salvor:${PASSWORD}@127.0.0.1/x`, /no URL of a database/],
      [`postgres://salvor:${PASSWORD}@[::1/x`, /no URL of a database/],
    ] as const) {
      await assert.rejects(openPostgresStore(url), (error) => {
        assert.ok(error instanceof DatabaseRefused, String(error));
        assert.match(error.message, said);
        assert.doesNotMatch(JSON.stringify([error, error.message, error.stack, error.cause]), /secret/);
        return true;
      });
    }
  });

  it("is waited for at the start, and given up with the reason", async () => {
    const nobody = postgres.url("postgres").replace(/:\d+\//, ":1/");
    await assert.rejects(openPostgresStore(nobody, { startTimeoutMs: 300 }), (error) => {
      assert.ok(error instanceof StoreUnavailable);
      assert.match(error.message, /ECONNREFUSED/);
      return true;
    });
  });
});
