import { judgeExtension } from "./budget.js";
import type { Opened } from "./choices.js";
import type { Decision } from "./decision.js";
import { NoteForm, ValueForm } from "./forms.js";
import type { Refusal } from "./refusal.js";
import { pinsOf, type Waiting } from "./waiting.js";

interface OpenFormProps {
  /** Names it among the drafts. */
  readonly draft: string;
  readonly opened: Opened;
  readonly waiting: Waiting;
  readonly isBusy: boolean;
  readonly refusal: Refusal | undefined;
  readonly onReview: (decision: Decision) => void;
  readonly onClose: () => void;
}

/** The form of what a person wants to do about a run. */
export function OpenForm({ draft, opened, waiting, isBusy, refusal, onReview, onClose }: OpenFormProps) {
  const shared = { draft, isBusy, onClose };
  if (opened === "happened" && waiting.kind === "call") {
    const { seq, call, declared } = waiting;
    return (
      <ValueForm
        {...shared}
        schema={declared?.output_schema ?? true}
        pins={pinsOf(call, declared)}
        asked={call.input}
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
        title={waiting.isBudget ? "The extension" : "The answer"}
        judge={waiting.isBudget ? (input) => judgeExtension(waiting.budget, input) : undefined}
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
      isDanger
      onReview={(reason) => onReview({ kind: "abandon", seq: waiting.seq, reason })}
    />
  );
}
