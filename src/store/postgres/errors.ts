import { StoreUnavailable } from "../errors.js";

/** A newer version of Salvor has changed the tables. */
export class SchemaTooNew extends Error {
  override readonly name = "SchemaTooNew";
  readonly code = "schema_too_new";
  constructor(
    readonly found: number,
    readonly known: number,
  ) {
    super(
      `the tables of the database are of version ${found}, and this program knows versions up to ${known}: start the version of salvor that made them, or a newer one`,
    );
  }
}

/** The database cannot be used at all, and trying again would not help: a wrong URL, password, database or permission. */
export class DatabaseRefused extends Error {
  override readonly name = "DatabaseRefused";
  readonly code = "database_refused";
}

/** The SQLSTATE of an error that PostgreSQL sent, or `undefined` for one that came from anywhere else. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("severity" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Whether PostgreSQL says that it has undone the statement, with its transaction; when it ended the session instead, nobody knows. */
export function wasRolledBack(error: unknown): boolean {
  return sqlState(error) !== undefined && (error as { readonly severity?: unknown }).severity === "ERROR";
}

/** Whether another transaction was in the way, so that the same one may succeed when it is tried again. */
export function isCollision(error: unknown): boolean {
  const state = sqlState(error);
  return state === "40001" || state === "40P01" || state === "23505";
}

/**
 * Whether the database cannot do its work now (connection, shutdown, disk, limits, a standby), whatever it was asked for.
 */
export function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  // What PostgreSQL did not say, the connection did.
  if (state === undefined) return true;
  return /^(?:08|53|57|58)/.test(state) || ["25006", "25P03", "25P04", "55P03", "XX000"].includes(state);
}

/** Whether trying again would not help: who we are, or what we asked for, is refused. */
export function isRefusal(error: unknown): boolean {
  return /^(?:28|3D|42|0A|22)/.test(sqlState(error) ?? "");
}

/** What a caller of the store is told of an error of the database. */
export function unavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error;
  return new StoreUnavailable(`the database does not answer: ${messageOf(error)}`, { cause: error });
}

/** An error in words. Of several attempts at several addresses, each is told. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
