import type { Context } from "koa";
import { isParked, isTerminal, RUN_STATES, type RunStateName } from "../../log/fold.js";
import type { RunSummary, RunSummaryContent, SummaryPage } from "../../store/event-store.js";
import { ApiError } from "../api-error.js";
import type { AppState } from "../app-state.js";
import { queryCount, queryParameter } from "../context.js";

const GROUPS = ["waiting", "progress", "terminal"] as const;
type Group = (typeof GROUPS)[number];

/** Which runs a list shows. */
export interface ListQuery {
  readonly status?: RunStateName;
  readonly group?: Group;
  readonly limit?: number;
  readonly after?: string;
}

/** How many summaries are looked at in one go while a group is being gathered. */
const PAGE = 500;

/** Reads `?status=`, `?group=`, `?limit=` and `?after=`. */
export function listQuery(ctx: Context): ListQuery {
  const status = oneOf(ctx, "status", RUN_STATES);
  const group = oneOf(ctx, "group", GROUPS);
  const limit = queryCount(ctx, "limit", 1);
  const after = queryParameter(ctx, "after");
  return {
    ...(status !== undefined && { status }),
    ...(group !== undefined && { group }),
    ...(limit !== undefined && { limit }),
    ...(after !== undefined && { after }),
  };
}

/** The runs of a list, oldest first, and the cursor of the next page if there is one. */
export async function pageOf(
  state: AppState,
  { status, group, limit, after }: ListQuery,
): Promise<SummaryPage> {
  const runs: RunSummary[] = [];
  let next = after;
  do {
    const page = await state.store.summaries({
      limit: Math.min(PAGE, (limit ?? Number.POSITIVE_INFINITY) - runs.length),
      ...(next !== undefined && { after: next }),
      ...(status !== undefined && { states: [status] }),
    });
    if (group === undefined) runs.push(...page.runs);
    else {
      const groups = await Promise.all(page.runs.map((run) => groupOf(state, run)));
      runs.push(...page.runs.filter((_, at) => groups[at] === group));
    }
    next = page.next;
  } while (next !== undefined && (limit === undefined || runs.length < limit));
  return { runs, ...(next !== undefined && { next }) };
}

/** The group of a run; one whose log cannot be read needs a person more than anything. */
async function groupOf(state: AppState, { run, content }: RunSummary): Promise<Group> {
  if (content === undefined) return "waiting";
  if (isTerminal(content.status)) return "terminal";
  return (await isWaiting(state, run, content)) ? "waiting" : "progress";
}

/** Whether a run waits for a person (docs/http-api.md, "Waiting for a person"). */
async function isWaiting(state: AppState, run: string, content: RunSummaryContent): Promise<boolean> {
  const { status, pending } = content;
  if (isParked(status)) return true;
  if (pending?.kind !== "tool") return false;
  if (content.pendingRefused) return true;
  if (state.drivers.isAttached(run)) return false;
  // A server that performs a call right now will say how it ended, whether its driver still waits for that or not.
  if ((await state.store.execution(run))?.seq === pending.seq) return false;
  return pending.effect === "write" || (content.pendingByClient && !clientMayClose(state, pending.tool));
}

function clientMayClose(state: AppState, tool: string): boolean {
  const declared = state.clientTools.get(tool);
  return declared?.judgeOutput !== undefined && declared.declaration.trust_completion;
}

function oneOf<T extends string>(ctx: Context, name: string, values: readonly T[]): T | undefined {
  const raw = queryParameter(ctx, name);
  if (raw === undefined) return undefined;
  const value = values.find((known) => known === raw);
  if (value !== undefined) return value;
  throw new ApiError(
    "bad_request",
    `the query parameter ${name} is ${JSON.stringify(raw)}; it takes ${values.join(", ")}`,
  );
}
