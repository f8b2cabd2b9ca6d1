import { Client } from "pg";
import { openPostgresStore, type EventStore, type StoreUnderTest } from "#salvor/store/index.js";
import type { TestPostgres } from "./postgres.js";

/** An empty store in a database of its own, for the conformance kit. */
export async function makePostgresStore(postgres: TestPostgres): Promise<StoreUnderTest> {
  const url = await postgres.createDatabase();
  const first = await openPostgresStore(url);
  let current: EventStore = first;
  const reopen = async (): Promise<EventStore> => {
    await current.close();
    current = await openPostgresStore(url);
    return current;
  };
  return {
    store: first,
    reopen,
    tamper: async (run) => {
      await withClient(url, async (client) => {
        // Whoever owns the tables can put the trigger aside.
        await client.query("ALTER TABLE salvor.events DISABLE TRIGGER USER");
        const { rowCount } = await client.query(
          `UPDATE salvor.events SET event = replace(event, '"now":"now"', '"now":"NOW"') WHERE run = $1`,
          [run],
        );
        if (rowCount === 0) throw new Error(`run ${run} has no event to change`);
        await client.query("ALTER TABLE salvor.events ENABLE TRIGGER USER");
      });
      return reopen();
    },
    holdsText: (text) =>
      withClient(url, async (client) => {
        const tables = await client.query<{ name: string }>(
          "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'salvor'",
        );
        for (const { name } of tables.rows) {
          const { rows } = await client.query(
            `SELECT 1 FROM salvor.${name} AS t WHERE strpos(t::text, $1) > 0 LIMIT 1`,
            [text],
          );
          if (rows.length > 0) return true;
        }
        return false;
      }),
    dispose: async () => {
      await current.close();
    },
  };
}

/** Uses a connection of its own. */
export async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
