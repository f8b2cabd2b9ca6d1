import { randomUUID } from "node:crypto";
import type { QueryResult } from "pg";
import { StoreUnavailable } from "../errors.js";
import { asError } from "../write-layer.js";
import type { Connection, Question } from "./connection.js";
import { basisOf, Draft, type IdentityRow } from "./draft.js";
import { isCollision, isUnavailable, messageOf, unavailable, wasRolledBack } from "./errors.js";
import type { Known } from "./known.js";
import { withMeanings, type LockedRow, type MeaningRow } from "./run-row.js";
import { lockIdentities, lockRuns, note, readMeanings, whichCommitted, writeOthers } from "./statements.js";
import type { Outcome, Work } from "./work.js";
import { write } from "./write-statement.js";

/** How often a transaction that collides with others is tried again. */
const ATTEMPTS = 20;

/** For how long an answer that was lost at the commit is looked for, in milliseconds. */
const DECIDE_MS = 30_000;

/** A transaction that was sent whole. */
interface Sent {
  readonly id: string;
  readonly outcome: Outcome;
}

/** The commit was sent, and its answer did not come: only the database knows what became of it. */
class Undecided extends Error {
  constructor(
    override readonly cause: unknown,
    readonly sent: Sent,
  ) {
    super("the answer to a commit was lost");
  }
}

/**
 * Does works as one transaction, each judged on what is so then. Where this server knows all that they need, one statement
 * writes what it judged, and fails when anything of that is not so any more. Else, and then, their runs are locked and they
 * are judged on what is locked. When the connection breaks at the commit, the database is asked what became of it; each
 * transaction notes its id, and the ids of those it stands for, so that nothing is ever done twice.
 *
 * @throws StoreUnavailable when nothing was written, or when what was cannot be learned in time.
 */
export async function transact(
  connection: Connection,
  works: readonly Work[],
  known: Known,
): Promise<Outcome> {
  const deadline = performance.now() + DECIDE_MS;
  const undecided: Sent[] = [];
  let lost: Undecided | undefined;
  for (let attempts = 1; ; attempts += 1) {
    try {
      const written = attempts === 1 ? await attemptAtOnce(connection, works, known) : undefined;
      return written ?? (await attempt(connection, works, known, undecided));
    } catch (error) {
      if (error instanceof Undecided) {
        lost = error;
        undecided.push(error.sent);
      }
      if (attempts < ATTEMPTS) {
        if (isCollision(error)) {
          known.forget(works);
          continue;
        }
        const left = deadline - performance.now();
        if (lost !== undefined && left > 0 && (await connection.untilUp(left))) continue;
      }
      if (lost !== undefined) throw unknownOutcome(lost, error);
      throw isUnavailable(error) || isCollision(error) ? unavailable(error) : error;
    }
  }
}

/**
 * One round trip, and no lock before it. `undefined` when the works need to be judged on locked rows: nobody is ever refused
 * for what may be out of date.
 */
async function attemptAtOnce(
  connection: Connection,
  works: readonly Work[],
  known: Known,
): Promise<Outcome | undefined> {
  const draft = new Draft({
    views: known.views(works.map(({ run }) => run)),
    holders: known.holders(works.flatMap(({ identities }) => identities)),
    broken: new Map(),
  });
  draft.judge(works);
  if (draft.empty || draft.refused || draft.others.length > 0) return undefined;
  const sent: Sent = { id: randomUUID(), outcome: draft.outcome };
  try {
    await connection.ask(write([sent.id], draft));
    return sent.outcome;
  } catch (error) {
    if (error instanceof StoreUnavailable || wasRolledBack(error)) throw error;
    throw new Undecided(error, sent);
  }
}

/** @param undecided the earlier attempts that may have been committed. */
async function attempt(
  connection: Connection,
  works: readonly Work[],
  known: Known,
  undecided: readonly Sent[],
): Promise<Outcome> {
  const runs = [...new Set(works.map(({ run }) => run))];
  const identities = [...new Set(works.flatMap((work) => work.identities))].sort();
  const views = known.views(runs);
  const ids = undecided.map(({ id }) => id);
  // Asked for behind the locks: an earlier attempt that is still at its commit holds them until that is over.
  const [, locked, meanings, held, committed] = await together(connection, [
    { text: "BEGIN" },
    lockRuns(runs),
    readMeanings(runs, views),
    lockIdentities(identities),
    ...(ids.length > 0 ? [whichCommitted(ids)] : []),
  ])
    .then(values)
    .catch((error: unknown) => endFailed(connection, error));
  const found = (committed?.rows ?? []) as readonly { readonly id: string }[];
  const done = undecided.findLast(({ id }) => found.some((row) => row.id === id));
  const draft = new Draft(
    basisOf(
      withMeanings(locked?.rows as LockedRow[], meanings?.rows as MeaningRow[]),
      held?.rows as IdentityRow[],
      views,
    ),
  );
  if (done === undefined) draft.judge(works);
  if (done !== undefined || (draft.empty && ids.length === 0)) {
    await connection.ask({ text: "ROLLBACK" });
    return done?.outcome ?? draft.outcome;
  }
  const sent: Sent = { id: randomUUID(), outcome: draft.outcome };
  const noted = [...ids, sent.id];
  // An earlier attempt that the database has not begun yet fails once it does, also when there is nothing to write any more.
  const writes = draft.empty ? [note(noted)] : [write(noted, draft), ...writeOthers(draft)];
  const answers = await together(connection, [...writes, { text: "COMMIT" }]);
  const end = answers.at(-1);
  if (end?.status === "fulfilled" && end.value.command === "COMMIT") return sent.outcome;
  const failed = answers.find((answer) => answer.status === "rejected");
  const cause = asError(failed?.reason ?? "the database rolled back what was to be committed");
  // Only what PostgreSQL says it has rolled back is known not to be there.
  if (end?.status === "fulfilled") throw cause;
  throw new Undecided(cause, sent);
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
