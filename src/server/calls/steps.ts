import type { RunDesk } from "../../runtime/recorder.js";
import { ApiError } from "../api-error.js";
import type { ClientTools } from "../app-state.js";
import { refusedStep, type Step } from "../step-body.js";
import { appendEvents } from "./append-events.js";
import { completeCall, type CompletionAnswer } from "./completion.js";
import { openIntent, type IntentAnswer } from "./intent.js";
import { completeModelCall } from "./model-completion.js";
import { openModelIntent, type ModelIntentAnswer } from "./model-intent.js";

/** What a step answers: what its own endpoint would. */
export type StepAnswer =
  IntentAnswer | CompletionAnswer | ModelIntentAnswer | { readonly appended: readonly number[] };

/**
 * Applies steps in their order as one durable append, or none of them (docs/http-api.md, "Steps"). A leading part that is
 * recorded already is answered like that, so a request whose answer was lost is sent again unchanged.
 *
 * @param mayDecide as for {@link appendEvents}.
 * @throws the refusal of the first step that is refused, with `details.step`; nothing is written then.
 */
export function applySteps(
  desk: RunDesk,
  tools: ClientTools,
  steps: readonly Step[],
  mayDecide: boolean,
): Promise<readonly StepAnswer[]> {
  const opened = desk.state.nextSeq;
  return desk.asOne(async (draft) => {
    const answers: StepAnswer[] = [];
    for (const [at, step] of steps.entries()) {
      try {
        answers.push(await apply(draft, { tools, opened, mayDecide }, step));
      } catch (error) {
        throw refusedStep(at, error);
      }
    }
    return answers;
  });
}

interface Terms {
  readonly tools: ClientTools;
  /** The first position that this request may have taken. */
  readonly opened: number;
  readonly mayDecide: boolean;
}

async function apply(desk: RunDesk, { tools, opened, mayDecide }: Terms, step: Step): Promise<StepAnswer> {
  switch (step.kind) {
    case "tool_intent":
      return openIntent(desk, tools, step.body);
    case "tool_completion":
      await refuseUnacknowledged(desk, opened, step.body.seq);
      return completeCall(desk, tools, step.body);
    case "model_intent":
      return openModelIntent(desk, step.body);
    case "model_completion":
      await refuseUnacknowledged(desk, opened, step.body.seq);
      return completeModelCall(desk, step.body);
    case "event":
      return { appended: await appendEvents(desk, [{ ...step.body, recorded_at: desk.stamp() }], mayDecide) };
  }
}

/** An intent is always acknowledged before its effect: what is reported in the same request was performed before that. */
async function refuseUnacknowledged(desk: RunDesk, opened: number, seq: number): Promise<void> {
  if (seq < opened || seq >= desk.state.nextSeq) return;
  const [event] = await desk.read(seq, 1);
  if (event?.event.kind !== "ToolCallRequested" && event?.event.kind !== "ModelCallRequested") return;
  throw new ApiError(
    "bad_request",
    `the intent at seq ${seq} is opened in this very request: perform the call once that is answered, and report on it then`,
  );
}
