import type { Context } from "koa";
import { isParked, isTerminal, type RunStateName } from "../../log/fold.js";
import type { RunSummary, RunSummaryContent, SummaryPage } from "../../store/event-store.js";
import type { AppState } from "../app-state.js";
import { AFTER, GROUP, type GROUPS, LIMIT, STATUS } from "../parameters.js";

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
  const status = STATUS.read(ctx);
  const group = GROUP.read(ctx);
  const limit = LIMIT.read(ctx);
  const after = AFTER.read(ctx);
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
