import { randomUUID } from "node:crypto";
import type { QueryResult } from "pg";
import { StoreUnavailable } from "../errors.js";
import { asError } from "../write-layer.js";
import type { Connection, Question } from "./connection.js";
import { Draft, type IdentityRow } from "./draft.js";
import { isCollision, isUnavailable, messageOf, unavailable } from "./errors.js";
import type { KnownViews, RunRow } from "./run-row.js";
import { lockIdentities, lockRuns, wasCommitted, write, writeOthers } from "./statements.js";
import type { Outcome, Work } from "./work.js";

/** How often a transaction that collides with others is tried again. */
const ATTEMPTS = 20;

/** For how long an answer that was lost at the commit is looked for, in milliseconds. */
const DECIDE_MS = 30_000;

/** The commit was sent, and its answer did not come: only the database knows what became of it. */
class Undecided extends Error {
  constructor(
    override readonly cause: unknown,
    readonly outcome: Outcome,
  ) {
    super("the answer to a commit was lost");
  }
}

/**
 * Does works as one transaction: locks their runs, judges each on what is locked, writes what was not refused. When the
 * connection breaks at the commit, the database is asked what became of it; the transaction's own row makes sure that it is
 * never done twice.
 *
 * @throws StoreUnavailable when nothing was written, or when what was cannot be learned in time.
 */
export async function transact(
  connection: Connection,
  works: readonly Work[],
  known: KnownViews,
): Promise<Outcome> {
  const id = randomUUID();
  const deadline = performance.now() + DECIDE_MS;
  let undecided: Undecided | undefined;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt(connection, id, works, known, undecided?.outcome);
    } catch (error) {
      if (error instanceof Undecided) undecided = error;
      if (attempts < ATTEMPTS) {
        if (isCollision(error)) continue;
        const left = deadline - performance.now();
        if (undecided !== undefined && left > 0 && (await connection.untilUp(left))) continue;
      }
      if (undecided !== undefined) throw unknownOutcome(undecided, error);
      throw isUnavailable(error) || isCollision(error) ? unavailable(error) : error;
    }
  }
}

/** @param undecided what was to come of an earlier attempt, when that may have been committed. */
async function attempt(
  connection: Connection,
  id: string,
  works: readonly Work[],
  known: KnownViews,
  undecided: Outcome | undefined,
): Promise<Outcome> {
  const runs = [...new Set(works.map(({ run }) => run))];
  const identities = [...new Set(works.flatMap((work) => work.identities))].sort();
  const views = known.of(runs);
  // Asked for behind the locks: an earlier attempt that is still at its commit holds them until that is over.
  const hasIdentities = identities.length > 0;
  const [, locked, ...found] = await together(connection, [
    { text: "BEGIN" },
    lockRuns(runs, views),
    ...(hasIdentities ? [lockIdentities(identities)] : []),
    ...(undecided === undefined ? [] : [wasCommitted(id)]),
  ])
    .then(values)
    .catch((error: unknown) => endFailed(connection, error));
  const held = hasIdentities ? found[0]?.rows : [];
  const isCommitted = undecided !== undefined && found.at(-1)?.rows.length === 1;
  const draft = new Draft(locked?.rows as RunRow[], held as IdentityRow[], views);
  if (!isCommitted) draft.judge(works);
  if (draft.empty) {
    await connection.ask({ text: "ROLLBACK" });
    return isCommitted ? undecided : draft.outcome;
  }
  const { outcome } = draft;
  const answers = await together(connection, [write(id, draft), ...writeOthers(draft), { text: "COMMIT" }]);
  const end = answers.at(-1);
  if (end?.status === "fulfilled" && end.value.command === "COMMIT") return outcome;
  const failed = answers.find((answer) => answer.status === "rejected");
  const cause = asError(failed?.reason ?? "the database rolled back what was to be committed");
  // Only what PostgreSQL says it has rolled back is known not to be there.
  if (end?.status === "fulfilled") throw cause;
  throw new Undecided(cause, outcome);
}

/** A transaction that failed before it wrote is ended, so that the connection is free for the next. */
async function endFailed(connection: Connection, error: unknown): Promise<never> {
  if (connection.up) await connection.ask({ text: "ROLLBACK" }).catch(() => undefined);
  throw error;
}

/** Asks several questions in one round trip; resolves once all have their answer. */
function together(connection: Connection, questions: readonly Question[]) {
  return Promise.allSettled(questions.map((question) => connection.ask(question)));
}

function values(answers: readonly PromiseSettledResult<QueryResult>[]): readonly QueryResult[] {
  return answers.map((answer) => {
    if (answer.status === "rejected") throw answer.reason;
    return answer.value;
  });
}

function unknownOutcome({ cause }: Undecided, error: unknown): StoreUnavailable {
  return new StoreUnavailable(
    `the connection broke while the database committed, and what came of it could not be learned: read the run before you go on (${messageOf(cause)})`,
    { cause: error },
  );
}
