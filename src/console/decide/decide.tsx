import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { RunAnswer } from "../../client/answers.js";
import { BadRequestError } from "../../client/wire-errors.js";
import { TransportError } from "../../client/transport-error.js";
import { isAboutAccess, useApi } from "../api.js";
import { forget, keep, readKept } from "../drafts.js";
import type { KnownTools } from "../tools/known-tool.js";
import { ServerWords } from "../ui/server-words.js";
import { Choices, type Opened } from "./choices.js";
import { Confirm } from "./confirm.js";
import { send, type Decision } from "./decision.js";
import { OpenForm } from "./open-form.js";
import { Outcome, type Told } from "./outcome.js";
import { refusalOf, type Refusal } from "./refusal.js";
import { waitingOf, type Waiting } from "./waiting.js";
import { whatHappened } from "./what-happened.js";

interface DecideProps {
  readonly run: RunAnswer;
  readonly tools: KnownTools;
  /** Whether the run is shown only until somebody has read what came of it. */
  readonly isOver?: boolean;
  /** Something was recorded, by whomever. */
  readonly onChange: () => void;
  /** Whether somebody is typing here, or was told something that they have not read yet. */
  readonly onBusy?: (isBusy: boolean) => void;
  /** What is said where nothing waits and nothing has just been decided. */
  readonly children?: ComponentChildren;
}

/** What a person can do about a run, each behind a form and a confirmation. */
export function Decide({ run, tools, isOver = false, onChange, onBusy, children }: DecideProps) {
  const api = useApi();
  const current = waitingOf(run, tools);
  // Whoever went elsewhere in the middle of it finds the form as they left it.
  const [opened, setOpened] = useState(() => readKept(openedKey(run.run, current)) as Opened | undefined);
  // What was looked at when the form was opened is what is decided about, whatever the run has come to meanwhile.
  const [judged, setJudged] = useState<Waiting | undefined>(opened === undefined ? undefined : current);
  const [decision, setDecision] = useState<Decision | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | undefined>(undefined);
  const [told, setTold] = useState<Told | undefined>(undefined);
  const sending = useRef(false);
  const waiting = judged ?? current;
  useEffect(() => {
    if (opened !== undefined) onBusy?.(true);
  }, []);

  const open = (what: Opened): void => {
    keep(openedKey(run.run, current), what);
    setJudged(current);
    setOpened(what);
    setRefusal(undefined);
    setTold(undefined);
    onBusy?.(true);
  };
  const close = (): void => {
    keep(openedKey(run.run, waiting), undefined);
    setJudged(undefined);
    setOpened(undefined);
    setRefusal(undefined);
    onBusy?.(told !== undefined);
  };
  const tell = (what: Told): void => {
    forget(`${run.run} `);
    setTold(what);
    setJudged(undefined);
    setOpened(undefined);
    onChange();
  };
  const confirm = async (wanted: Decision): Promise<void> => {
    if (sending.current) return;
    sending.current = true;
    setBusy(true);
    setRefusal(undefined);
    try {
      await send(api.client, run.run, wanted);
      tell({ kind: "recorded", decision: wanted, waiting });
    } catch (error) {
      await explain(error, wanted);
    } finally {
      sending.current = false;
      setBusy(false);
      setDecision(undefined);
    }
  };
  const explain = async (error: unknown, wanted: Decision): Promise<void> => {
    if (error instanceof BadRequestError) {
      setRefusal(refusalOf(error, wanted));
      return;
    }
    const isLost = error instanceof TransportError;
    if (isAboutAccess(error, api) && !isLost) return;
    const seq = wanted.seq ?? run.event_count - 1;
    const ending = await whatHappened(api.client, run.run, seq).catch(() => undefined);
    if (ending !== undefined) tell({ kind: isLost ? "found" : "other", ending, decision: wanted, waiting });
    else if (isLost) {
      setRefusal({
        words:
          "The answer was lost, and the server is not there to say whether it was recorded. Look at the run before you decide again.",
        violations: [],
      });
    } else setRefusal(refusalOf(error, wanted));
    onChange();
  };

  return (
    <div class="decide">
      {told !== undefined && (
        <Outcome
          run={run.run}
          told={told}
          onDismiss={() => {
            setTold(undefined);
            onBusy?.(false);
          }}
        />
      )}
      {refusal !== undefined && (
        <div class="notice notice-problem" role="alert">
          <p>
            <strong>Not recorded.</strong> {refusal.words}
          </p>
          {refusal.said !== undefined && <ServerWords {...refusal.said} />}
        </div>
      )}
      {opened === undefined && current.kind === "nothing" && told === undefined && children}
      {opened === undefined && current.kind !== "nothing" && <Choices waiting={current} onOpen={open} />}
      {opened === undefined && current.kind === "nothing" && told === undefined && !isOver && (
        <button type="button" class="quiet-danger" onClick={() => open("abandon")}>
          Abandon…
        </button>
      )}
      {opened !== undefined && (
        <OpenForm
          key={opened}
          draft={`${openedKey(run.run, waiting)} ${opened}`}
          opened={opened}
          waiting={waiting}
          isBusy={isBusy}
          refusal={refusal}
          onReview={setDecision}
          onClose={close}
        />
      )}
      {decision !== undefined && (
        <Confirm
          run={run.run}
          waiting={waiting}
          decision={decision}
          isBusy={isBusy}
          onConfirm={() => void confirm(decision)}
          onBack={() => setDecision(undefined)}
        />
      )}
    </div>
  );
}

/** Names what is opened about a position of a run among the drafts. */
function openedKey(run: string, { seq }: Waiting): string {
  return `${run} ${seq ?? "-"}`;
}
