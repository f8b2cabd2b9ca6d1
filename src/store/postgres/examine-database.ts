import { Client } from "pg";
import { diagnosisOf, type Diagnosis, type Finding } from "../diagnosis.js";
import { configOf } from "./connect-store.js";
import { DatabaseRefused, isRefusal, messageOf } from "./errors.js";
import { SCHEMA_VERSION, versionOf } from "./migrations.js";

/** A database to look at. */
export interface ExaminedDatabase {
  readonly url: string;
  /** Where it is, in words without a secret. */
  readonly place: string;
  /** The option that names it, as a person types it. */
  readonly option: string;
}

/** How long a connection and a look may take, in milliseconds. */
const PATIENCE_MS = 5000;

/** What a server does to each table. */
const RIGHTS: Readonly<Record<string, string>> = {
  migrations: "SELECT",
  runs: "SELECT, INSERT, UPDATE",
  events: "SELECT, INSERT, DELETE",
  identities: "SELECT, INSERT, UPDATE, DELETE",
  refused_reports: "SELECT, INSERT, DELETE",
  executions: "SELECT, INSERT, UPDATE, DELETE",
  notices: "SELECT, INSERT, UPDATE",
  commits: "SELECT, INSERT, DELETE",
};

/** Says what state a database is in. Only reads, in a session that cannot write; `verifyStore` checks the events. */
export async function examineDatabase(database: ExaminedDatabase): Promise<Diagnosis> {
  const found = await findingsOf(database);
  const [first] = found;
  return diagnosisOf(database.place, found, first);
}

async function findingsOf({ url, option }: ExaminedDatabase): Promise<readonly [Finding, ...Finding[]]> {
  let client: Client | undefined;
  try {
    client = new Client({
      ...configOf(url),
      connectionTimeoutMillis: PATIENCE_MS,
      application_name: "salvor doctor",
    });
    client.on("error", () => undefined);
    await client.connect();
    const server = await serverFindings(client);
    await client.query("SET default_transaction_read_only TO on");
    return [...server, ...(await tableFindings(client, option))] as [Finding, ...Finding[]];
  } catch (error) {
    return [failure(error, option)];
  } finally {
    await client?.end().catch(() => undefined);
  }
}

function failure(error: unknown, option: string): Finding {
  const says = messageOf(error);
  if (error instanceof DatabaseRefused) {
    return {
      state: "not_a_url",
      level: "problem",
      says,
      next: `put such a URL in place of that of ${option}`,
    };
  }
  if (isRefusal(error)) {
    const next =
      "correct the user, password or database in the URL, or the rights; psql with that URL says the same";
    return { state: "refused", level: "problem", says: `the database refuses us: ${says}`, next };
  }
  const next =
    "start PostgreSQL, or correct the host and port in the URL; servers that run connect again by themselves";
  return { state: "unreachable", level: "problem", says: `the database does not answer: ${says}`, next };
}

/** What is so with the whole PostgreSQL. */
async function serverFindings(client: Client): Promise<readonly Finding[]> {
  const { rows } = await client.query<{
    standby: boolean;
    read_only: boolean;
    fsync: boolean;
    full_pages: boolean;
    async_commit: boolean;
    servers: number;
    hosts: string | null;
  }>(`SELECT pg_is_in_recovery() AS standby,
    current_setting('default_transaction_read_only') = 'on' AS read_only,
    current_setting('fsync') = 'on' AS fsync,
    current_setting('full_page_writes') = 'on' AS full_pages,
    current_setting('synchronous_commit') = 'off' AS async_commit,
    (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'salvor') AS servers,
    (SELECT string_agg(DISTINCT coalesce(host(client_addr), 'this machine'), ', ')
      FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'salvor') AS hosts`);
  const [row] = rows;
  if (row === undefined) return [];
  const found: Finding[] = [];
  const add = (state: string, level: Finding["level"], says: string, next: string): void => {
    found.push({ state, level, says, next });
  };
  if (row.standby)
    add(
      "standby",
      "problem",
      "this is a standby, which cannot be written",
      "name the primary in the URL, or promote this one",
    );
  else if (row.read_only)
    add(
      "read_only",
      "problem",
      "transactions are read-only here (default_transaction_read_only is on)",
      "find out who set it, and why; then ALTER DATABASE ... RESET default_transaction_read_only",
    );
  const dangerous = [...(row.fsync ? [] : ["fsync"]), ...(row.full_pages ? [] : ["full_page_writes"])];
  if (dangerous.length > 0) {
    const verb = dangerous.length > 1 ? "are" : "is";
    const says = `${dangerous.join(" and ")} ${verb} off: what salvor calls recorded does not survive a crash of the database's machine`;
    add(
      "not_durable",
      "problem",
      says,
      `${dangerous.map((name) => `ALTER SYSTEM SET ${name} TO on`).join("; ")}; then reload PostgreSQL`,
    );
  }
  if (row.async_commit)
    add(
      "asynchronous_commit",
      "note",
      "synchronous_commit is off for this user or database; sessions of salvor turn it on for themselves",
      "nothing, unless other programs' commits matter too",
    );
  if (row.servers > 0)
    add(
      "in_use",
      "ok",
      `in use: ${row.servers} connections of servers, from ${row.hosts ?? "hosts that this user may not see"}`,
      "ask one of those servers: salvor list",
    );
  return found;
}

/** What is so with our tables. */
async function tableFindings(client: Client, option: string): Promise<readonly Finding[]> {
  if (!(await mayUse(client))) {
    const next = "GRANT USAGE ON SCHEMA salvor, and the rights that docs/storage.md names, to this user";
    return [
      { state: "no_permission", level: "problem", says: "this user may not use the schema salvor", next },
    ];
  }
  const missing = await missingRights(client);
  if (missing.length > 0) {
    const lacking = missing.map(({ name, rights }) => `${name}: ${rights}`).join("; ");
    const grants = missing.map(({ name, rights, me }) => `GRANT ${rights} ON salvor.${name} TO ${me}`);
    const says = `this user may not do on the tables what a server does: ${lacking}`;
    return [
      { state: "no_permission", level: "problem", says, next: `as the tables' owner: ${grants.join("; ")}` },
    ];
  }
  const version = await versionOf(client);
  if (version === 0) return [await emptyFinding(client, option)];
  if (version > SCHEMA_VERSION) {
    const says = `the tables are of version ${version}, and this program knows versions up to ${SCHEMA_VERSION}`;
    return [{ state: "newer_format", level: "problem", says, next: "start the newer salvor that made them" }];
  }
  if (version < SCHEMA_VERSION) {
    const says = `the tables are of version ${version}; this program works with version ${SCHEMA_VERSION}`;
    const next = `stop the older servers, then start this one: salvor serve ${option} brings them to its version`;
    return [{ state: "older_format", level: "note", says, next }];
  }
  const unreadable = await unreadableFinding(client, option);
  const content = await contentOf(client);
  const says = `tables of version ${version}: ${content}`;
  const next = `salvor serve ${option}, or salvor verify ${option} to check every event`;
  if (unreadable !== undefined) return [unreadable, { state: "content", level: "ok", says, next }];
  return [{ state: "healthy", level: "ok", says: `healthy, with ${says}`, next }];
}

async function mayUse(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    "SELECT has_schema_privilege(oid, 'USAGE') AS may FROM pg_namespace WHERE nspname = 'salvor'",
  );
  return rows[0]?.may ?? true;
}

/** The rights that this user lacks on each table. */
async function missingRights(client: Client) {
  const { rows } = await client.query<{ name: string; rights: string; me: string }>(
    `SELECT c.relname AS name, string_agg(p.privilege, ', ' ORDER BY p.privilege) AS rights, quote_ident(current_user) AS me
    FROM unnest($1::text[], $2::text[]) AS k(name, rights)
    JOIN pg_class c ON c.relname = k.name AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = 'salvor')
    CROSS JOIN LATERAL unnest(string_to_array(k.rights, ', ')) AS p(privilege)
    WHERE NOT has_table_privilege(c.oid, p.privilege) GROUP BY c.relname ORDER BY c.relname`,
    [Object.keys(RIGHTS), Object.values(RIGHTS)],
  );
  return rows;
}

async function emptyFinding(client: Client, option: string): Promise<Finding> {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT coalesce((SELECT has_schema_privilege(oid, 'CREATE') FROM pg_namespace WHERE nspname = 'salvor'),
      has_database_privilege(current_database(), 'CREATE')) AS may`,
  );
  const says = "it holds no tables of salvor yet";
  if (rows[0]?.may === true)
    return { state: "empty", level: "note", says, next: `salvor serve ${option} makes them` };
  const next = "GRANT CREATE ON DATABASE ... to this user for the first start";
  return { state: "no_permission", level: "problem", says: `${says}, and this user may not make them`, next };
}

async function unreadableFinding(client: Client, option: string): Promise<Finding | undefined> {
  const { rows } = await client.query<{ run: string; seq: number; total: number }>(
    `SELECT run, unreadable_seq AS seq, count(*) OVER ()::int AS total FROM salvor.runs
    WHERE unreadable_seq IS NOT NULL AND NOT erased ORDER BY run LIMIT 3`,
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  const named = rows.map(({ run, seq }) => `${run} from seq ${seq} on`).join(", ");
  const says = `${first.total} runs cannot be trusted: ${named}${first.total > rows.length ? ", and others" : ""}`;
  const next = `salvor verify ${option} names them all; docs/storage.md tells how rows are put back from a backup`;
  return { state: "unreadable_runs", level: "problem", says, next };
}

/** How much there is: counted where that is quick, estimated by PostgreSQL where it is not. */
async function contentOf(client: Client): Promise<string> {
  const counts: string[] = [];
  for (const name of ["runs", "events", "identities"]) {
    const { rows } = await client.query<{ estimate: number }>(
      `SELECT reltuples::float8 AS estimate FROM pg_class WHERE oid = 'salvor.${name}'::regclass`,
    );
    const estimate = rows[0]?.estimate ?? 0;
    if (estimate > 100_000) counts.push(`about ${Math.round(estimate)} ${name}`);
    else {
      const counted = await client.query<{ count: number }>(
        `SELECT count(*)::float8 AS count FROM salvor.${name}`,
      );
      counts.push(`${counted.rows[0]?.count ?? 0} ${name}`);
    }
  }
  const { rows } = await client.query<{ size: string }>(
    `SELECT pg_size_pretty(sum(pg_total_relation_size(c.oid))) AS size FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'salvor' AND c.relkind IN ('r', 'p')`,
  );
  return `${counts.join(", ")}, in ${rows[0]?.size ?? "no room"}`;
}
