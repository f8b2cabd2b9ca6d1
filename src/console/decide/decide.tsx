import { useRef, useState } from "preact/hooks";
import type { RunAnswer } from "../../client/answers.js";
import { BadRequestError } from "../../client/wire-errors.js";
import { TransportError } from "../../client/transport-error.js";
import { isAboutAccess, useApi, wordsOf } from "../api.js";
import type { KnownTools } from "../tools/known-tool.js";
import { Words } from "../ui/words.js";
import { Confirm } from "./confirm.js";
import { send, type Decision } from "./decision.js";
import { NoteForm, ValueForm, type Refusal } from "./forms.js";
import { Outcome, type Told } from "./outcome.js";
import { pinsOf, waitingOf, type Waiting } from "./waiting.js";
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
}

type Opened = "happened" | "not_performed" | "resume" | "abandon";

/** What a person can do about a run, each behind a form and a confirmation. */
export function Decide({ run, tools, isOver = false, onChange, onBusy }: DecideProps) {
  const api = useApi();
  // What was looked at when the form was opened is what is decided about, whatever the run has come to meanwhile.
  const [judged, setJudged] = useState<Waiting | undefined>(undefined);
  const [opened, setOpened] = useState<Opened | undefined>(undefined);
  const [decision, setDecision] = useState<Decision | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | undefined>(undefined);
  const [told, setTold] = useState<Told | undefined>(undefined);
  const sending = useRef(false);
  const current = waitingOf(run, tools);
  const waiting = judged ?? current;

  const open = (what: Opened): void => {
    setJudged(current);
    setOpened(what);
    setRefusal(undefined);
    setTold(undefined);
    onBusy?.(true);
  };
  const close = (): void => {
    setJudged(undefined);
    setOpened(undefined);
    setRefusal(undefined);
    onBusy?.(told !== undefined);
  };
  const tell = (what: Told): void => {
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
      setRefusal({ message: error.message, violations: error.violations });
      return;
    }
    const isLost = error instanceof TransportError;
    if (isAboutAccess(error, api) && !isLost) return;
    const seq = wanted.seq ?? run.event_count - 1;
    const ending = await whatHappened(api.client, run.run, seq).catch(() => undefined);
    if (ending !== undefined) tell({ kind: isLost ? "found" : "other", ending, decision: wanted, waiting });
    else if (isLost) {
      setRefusal({
        message:
          "The answer was lost, and the server is not there to say whether it was recorded. Look at the run before you decide again.",
        violations: [],
      });
    } else setRefusal({ message: wordsOf(error), violations: [] });
    onChange();
  };

  return (
    <div class="decide">
      {told !== undefined && (
        <Outcome
          told={told}
          onDismiss={() => {
            setTold(undefined);
            onBusy?.(false);
          }}
        />
      )}
      {refusal !== undefined && (
        <div class="notice notice-problem" role="alert">
          <strong>Not recorded.</strong> <Words text={refusal.message} />
        </div>
      )}
      {opened === undefined && current.kind !== "nothing" && <Choices waiting={current} onOpen={open} />}
      {opened === undefined && current.kind === "nothing" && told === undefined && !isOver && (
        <button type="button" class="quiet-danger" onClick={() => open("abandon")}>
          Abandon…
        </button>
      )}
      {opened !== undefined && (
        <OpenForm
          key={opened}
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

function Choices({
  waiting,
  onOpen,
}: {
  readonly waiting: Waiting;
  readonly onOpen: (what: Opened) => void;
}) {
  return (
    <div class="actions">
      {waiting.kind === "call" && waiting.canSettle && (
        <>
          <button type="button" class="primary" onClick={() => onOpen("happened")}>
            It happened…
          </button>
          <button type="button" onClick={() => onOpen("not_performed")}>
            It did not happen…
          </button>
        </>
      )}
      {waiting.kind === "input" && (
        <button type="button" class="primary" onClick={() => onOpen("resume")}>
          {waiting.isBudget ? "Extend and resume…" : "Answer and resume…"}
        </button>
      )}
      <span class="spring" />
      <button type="button" class="quiet-danger" onClick={() => onOpen("abandon")}>
        Abandon…
      </button>
    </div>
  );
}

interface OpenFormProps {
  readonly opened: Opened;
  readonly waiting: Waiting;
  readonly isBusy: boolean;
  readonly refusal: Refusal | undefined;
  readonly onReview: (decision: Decision) => void;
  readonly onClose: () => void;
}

function OpenForm({ opened, waiting, isBusy, refusal, onReview, onClose }: OpenFormProps) {
  const shared = { isBusy, onClose };
  if (opened === "happened" && waiting.kind === "call") {
    const { seq, call, declared } = waiting;
    return (
      <ValueForm
        {...shared}
        schema={declared?.output_schema ?? true}
        pins={pinsOf(call, declared)}
        title="What came of it"
        hasNote
        refusal={refusal}
        onReview={(output, note, operator) => onReview({ kind: "happened", seq, output, note, operator })}
      />
    );
  }
  if (opened === "not_performed" && waiting.kind === "call") {
    return (
      <NoteForm
        {...shared}
        label="Note"
        hint="How you know that it did not happen: kept in the log, and told to the run."
        hasName
        onReview={(note, operator) => onReview({ kind: "not_performed", seq: waiting.seq, note, operator })}
      />
    );
  }
  if (opened === "resume" && waiting.kind === "input") {
    return (
      <ValueForm
        {...shared}
        schema={waiting.schema}
        pins={{}}
        title="The answer"
        hasNote={false}
        refusal={refusal}
        onReview={(input) => onReview({ kind: "resume", seq: waiting.seq, input })}
      />
    );
  }
  return (
    <NoteForm
      {...shared}
      label="Reason"
      hint="Why nobody will finish this run: kept in the log."
      hasName={false}
      onReview={(reason) => onReview({ kind: "abandon", seq: waiting.seq, reason })}
    />
  );
}
