import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { booleans, integers, lines, texts, uuids } from "#salvor/store/postgres/columns.js";
import { withClient } from "../../support/postgres-store.js";
import { TestPostgres } from "../../support/postgres.js";

let postgres: TestPostgres;
before(async () => {
  postgres = await TestPostgres.start();
});
after(() => postgres.stop());

/** Texts that PostgreSQL can hold, many of them of what means something in an array. */
const text = fc.oneof(
  fc.string({ unit: "grapheme" }).filter((each) => !each.includes("\u0000")),
  fc.string({
    unit: fc.constantFrom("{", "}", ",", '"', "\\", " ", "\n", "\t", "n", "u", "l", "N", "ä", "🙂"),
  }),
  fc.constantFrom("NULL", "null", "", "sha256:00", "2026-01-01T00:00:00.000Z", "awaiting_tool"),
);

describe("the values of a column", () => {
  it("come back as they were sent", async () => {
    await withClient(postgres.url("postgres"), async (client) => {
      const row = fc.record({
        text: fc.option(text),
        id: fc.option(fc.uuid()),
        number: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
        held: fc.option(fc.boolean()),
        json: fc.json(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
          const found = await client.query(
            `SELECT * FROM unnest($1::text[], $2::uuid[], $3::int[], $4::boolean[], string_to_array($5, E'\\n'))
              AS k(text, id, number, held, json)`,
            [
              texts(rows.map((each) => each.text)),
              uuids(rows.map(({ id }) => id)),
              integers(rows.map(({ number }) => number)),
              booleans(rows.map(({ held }) => held)),
              lines(rows.map(({ json }) => json)),
            ],
          );
          assert.deepEqual(
            found.rows,
            rows.map((each) => ({ ...each })),
          );
        }),
        { numRuns: 200 },
      );
    });
  });
});
