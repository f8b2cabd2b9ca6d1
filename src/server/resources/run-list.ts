import type { Context } from "koa";
import { isParked, isTerminal, type RunStateName } from "../../log/fold.js";
import type { RunSummary, RunSummaryContent, SummaryPage } from "../../store/event-store.js";
import type { AppState } from "../app-state.js";
import { AFTER, GROUP, type GROUPS, LABEL, LIMIT, ORDER, type ORDERS, STATUS, TOOL } from "../parameters.js";

type Group = (typeof GROUPS)[number];

/** Which runs a list shows. */
export interface ListQuery {
  readonly status?: RunStateName;
  readonly group?: Group;
  /** Only runs with an open call of this tool. */
  readonly tool?: string;
  /** Only runs with this label: `key=value`, or a key alone. */
  readonly label?: string;
  readonly order?: (typeof ORDERS)[number];
  readonly limit?: number;
  readonly after?: string;
}

/** How many summaries are looked at in one go while a group is being gathered. */
const PAGE = 500;

/** Reads what a request says about the list that it wants. */
export function listQuery(ctx: Context): ListQuery {
  const status = STATUS.read(ctx);
  const group = GROUP.read(ctx);
  const tool = TOOL.read(ctx);
  const label = LABEL.read(ctx);
  const order = ORDER.read(ctx);
  const limit = LIMIT.read(ctx);
  const after = AFTER.read(ctx);
  return {
    ...(status !== undefined && { status }),
    ...(group !== undefined && { group }),
    ...(tool !== undefined && { tool }),
    ...(label !== undefined && { label }),
    ...(order !== undefined && { order }),
    ...(limit !== undefined && { limit }),
    ...(after !== undefined && { after }),
  };
}

/** The runs of a list, oldest first unless asked otherwise, and the cursor of the next page if there is one. */
export async function pageOf(
  state: AppState,
  { status, group, tool, label, order, limit, after }: ListQuery,
): Promise<SummaryPage> {
  const runs: RunSummary[] = [];
  let next = after;
  do {
    const page = await state.store.summaries({
      limit: Math.min(PAGE, (limit ?? Number.POSITIVE_INFINITY) - runs.length),
      ...(next !== undefined && { after: next }),
      ...(status !== undefined && { states: [status] }),
      ...(order !== undefined && { order }),
    });
    const found = page.runs.filter(
      ({ content }) => (tool === undefined || isOpenCallOf(content, tool)) && isLabelled(content, label),
    );
    if (group === undefined) runs.push(...found);
    else {
      const groups = await Promise.all(found.map((run) => groupOf(state, run)));
      runs.push(...found.filter((_, at) => groups[at] === group));
    }
    next = page.next;
  } while (next !== undefined && (limit === undefined || runs.length < limit));
  return { runs, ...(next !== undefined && { next }) };
}

function isOpenCallOf(content: RunSummaryContent | undefined, tool: string): boolean {
  return content?.pending?.kind === "tool" && content.pending.tool === tool;
}

function isLabelled(content: RunSummaryContent | undefined, label: string | undefined): boolean {
  if (label === undefined) return true;
  return Object.entries(content?.labels ?? {}).some(
    ([key, value]) => label === key || label === `${key}=${value}`,
  );
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
