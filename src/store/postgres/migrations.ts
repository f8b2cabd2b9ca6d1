import type { Client } from "pg";
import { DatabaseRefused, SchemaTooNew } from "./errors.js";

/**
 * What makes the tables of one version those of the next; the first makes them from nothing. One that was released is
 * never changed: what is to be different comes as a further one.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE salvor.runs (
    run uuid PRIMARY KEY,
    next_seq integer NOT NULL,
    tip text NOT NULL,
    first_recorded_at text COLLATE "C" NOT NULL,
    last_recorded_at text COLLATE "C" NOT NULL,
    state text NOT NULL,
    -- What lists are found by. States that a run passes through with every call share one, so that an append need not
    -- touch an index.
    listed text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
      CASE WHEN state IN ('completed', 'failed', 'abandoned', 'suspended', 'budget_exceeded')
        THEN state ELSE 'moving' END) STORED,
    pending_seq integer,
    meaning text NOT NULL,
    ownership text,
    lease text,
    erased boolean NOT NULL DEFAULT false,
    tombstone text,
    unreadable_seq integer,
    unreadable_why text
  ) WITH (fillfactor = 70);
  CREATE INDEX runs_in_order ON salvor.runs (first_recorded_at, run) WHERE first_recorded_at <> '';
  CREATE INDEX runs_by_state ON salvor.runs (listed, first_recorded_at, run) WHERE first_recorded_at <> '';

  CREATE TABLE salvor.events (
    run uuid NOT NULL,
    seq integer NOT NULL,
    event text NOT NULL,
    PRIMARY KEY (run, seq)
  );
  CREATE FUNCTION salvor.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' AND current_setting('salvor.erasing', true) = OLD.run::text THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'events are only ever appended' USING HINT = 'salvor erases the runs that have ended, as a whole';
  END $$;
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON salvor.events
    FOR EACH ROW EXECUTE FUNCTION salvor.refuse_change();
  CREATE TRIGGER append_only_all BEFORE TRUNCATE ON salvor.events
    FOR EACH STATEMENT EXECUTE FUNCTION salvor.refuse_change();

  CREATE TABLE salvor.identities (
    identity text COLLATE "C" PRIMARY KEY,
    run uuid NOT NULL,
    seq integer NOT NULL,
    settled boolean NOT NULL
  );

  CREATE TABLE salvor.refused_reports (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run uuid NOT NULL,
    seq integer NOT NULL,
    report text NOT NULL
  );
  CREATE INDEX refused_reports_of_run ON salvor.refused_reports (run, seq);

  CREATE TABLE salvor.executions (
    run uuid PRIMARY KEY,
    seq integer NOT NULL,
    holder text NOT NULL,
    expires_at timestamptz NOT NULL
  );

  -- One row for each transaction that changed something: how a server whose connection broke at the commit learns what came
  -- of it. Rows go after an hour.
  CREATE TABLE salvor.commits (
    id uuid PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now()
  );

  -- Ends a transaction that found less, or more, than it was judged on.
  CREATE FUNCTION salvor.insist(held boolean) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    IF held THEN RETURN true; END IF;
    RAISE EXCEPTION 'another transaction was first' USING ERRCODE = 'serialization_failure';
  END $$;
  `,
  `
  -- Who was told that a run waits, so that a wait is told of once for all servers.
  CREATE TABLE salvor.notices (
    run uuid PRIMARY KEY,
    seq integer NOT NULL,
    holder text NOT NULL,
    claimed_until timestamptz NOT NULL,
    told_seq integer NOT NULL DEFAULT -1
  );
  `,
  `
  -- The meaning of a run is written now and then, and whoever reads it reads the events behind it too. This is how many it knows of
  -- where that is not all.
  ALTER TABLE salvor.runs ADD COLUMN meaning_seq integer;
  `,
];

/** The version of the tables that this program works with. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** "salvor" in ASCII: nobody else in this database locks this number. */
const LOCK = "126862268723058";

/**
 * Brings the tables of a database to this program's version. Of several servers that start at once, one does it and the
 * others wait; a migration is made as a whole or not at all.
 *
 * @throws {@link SchemaTooNew} when a newer program was here; nothing is changed then.
 */
export async function migrate(client: Client): Promise<void> {
  // The common case needs no lock, and no right to make tables.
  if ((await versionOf(client)) === SCHEMA_VERSION) return;
  await client.query("BEGIN");
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    const found = await versionOf(client);
    if (found > SCHEMA_VERSION) throw new SchemaTooNew(found, SCHEMA_VERSION);
    if (found === 0) {
      await client.query("CREATE SCHEMA IF NOT EXISTS salvor");
      await client.query(
        "CREATE TABLE salvor.migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())",
      );
    }
    for (const [at, text] of MIGRATIONS.entries()) {
      if (at < found) continue;
      await client.query(text);
      await client.query("INSERT INTO salvor.migrations (version) VALUES ($1)", [at + 1]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/**
 * @throws {@link SchemaTooNew} when a newer program was here.
 * @throws {@link DatabaseRefused} when there are no tables, or those of an older one.
 */
export async function requireTables(client: Client): Promise<void> {
  const found = await versionOf(client);
  if (found > SCHEMA_VERSION) throw new SchemaTooNew(found, SCHEMA_VERSION);
  if (found === SCHEMA_VERSION) return;
  throw new DatabaseRefused(
    found === 0
      ? "it holds no tables of salvor: a server that starts on it makes them"
      : `its tables are of version ${found}: a server that starts on it brings them to version ${SCHEMA_VERSION}`,
  );
}

export async function versionOf(client: Client): Promise<number> {
  // Not to_regclass: that may answer from before a lock was waited for.
  const table = await client.query<{ found: boolean }>(
    "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = 'salvor' AND tablename = 'migrations') AS found",
  );
  if (table.rows[0]?.found !== true) return 0;
  const { rows } = await client.query<{ version: number | null }>(
    "SELECT max(version) AS version FROM salvor.migrations",
  );
  return rows[0]?.version ?? 0;
}
