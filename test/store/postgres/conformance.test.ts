import { after, before, describe, it } from "node:test";
import { storeConformance } from "#salvor/store/index.js";
import { makePostgresStore } from "../../support/postgres-store.js";
import { TestPostgres } from "../../support/postgres.js";

describe("the PostgreSQL store keeps what the port promises", { concurrency: 4 }, () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = await TestPostgres.start();
  });
  after(() => postgres.stop());

  for (const { name, run } of storeConformance(() => makePostgresStore(postgres))) it(name, run);
});
