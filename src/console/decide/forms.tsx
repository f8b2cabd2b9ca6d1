import { useId, useState } from "preact/hooks";
import type { JsonValue } from "../../contract/json.js";
import { useKept } from "../drafts.js";
import { useForm, type FormPurpose } from "../form/form-state.js";
import { SchemaForm } from "../form/schema-form.js";
import { keepOperator, readOperator } from "../session.js";
import type { Refusal } from "./refusal.js";

interface ValueFormProps extends FormPurpose {
  readonly title: string;
  /** Whether the log takes a note and a name with it. */
  readonly hasNote: boolean;
  readonly isBusy: boolean;
  readonly refusal: Refusal | undefined;
  readonly onReview: (value: JsonValue, note: string, operator: string) => void;
  readonly onClose: () => void;
}

/** A value as its schema asks for it: what came of a call, or the answer that a run waits for. */
export function ValueForm(props: ValueFormProps) {
  const { draft, title, hasNote, isBusy, refusal, onReview, onClose } = props;
  const form = useForm(props);
  const [note, setNote] = useKept(`${draft} note`, () => "");
  const [operator, setOperator] = useKept(`${draft} operator`, readOperator);
  const [shown, setShown] = useState<Refusal | undefined>(undefined);
  if (refusal !== shown) {
    setShown(refusal);
    if (refusal !== undefined) form.refuse(refusal.violations);
  }
  const review = (event: Event): void => {
    event.preventDefault();
    const whole = form.check();
    keepOperator(operator.trim());
    if (whole !== undefined) onReview(whole.value, note.trim(), operator.trim());
    else focusFirstProblem(event.currentTarget as HTMLElement);
  };
  return (
    <form class="decision" noValidate onSubmit={review}>
      <SchemaForm form={form} title={title} disabled={isBusy} />
      {hasNote && (
        <div class="row">
          <Line label="Note" value={note} onInput={setNote} hint="Where you saw it: kept in the log." />
          <OperatorLine value={operator} onInput={setOperator} />
        </div>
      )}
      <Buttons isBusy={isBusy} onClose={onClose} />
    </form>
  );
}

interface NoteFormProps {
  /** Names it among the drafts. */
  readonly draft: string;
  readonly label: string;
  readonly hint: string;
  readonly hasName: boolean;
  /** Whether it ends something that nobody can begin again. */
  readonly isDanger?: boolean;
  readonly isBusy: boolean;
  readonly onReview: (note: string, operator: string) => void;
  readonly onClose: () => void;
}

/** A decision that takes words only. */
export function NoteForm(props: NoteFormProps) {
  const { draft, label, hint, hasName, isDanger = false, isBusy, onReview, onClose } = props;
  const [note, setNote] = useKept(`${draft} note`, () => "");
  const [operator, setOperator] = useKept(`${draft} operator`, readOperator);
  const review = (event: Event): void => {
    event.preventDefault();
    keepOperator(operator.trim());
    onReview(note.trim(), operator.trim());
  };
  return (
    <form class="decision" onSubmit={review}>
      <div class="row">
        <Line label={label} value={note} onInput={setNote} hint={hint} />
        {hasName && <OperatorLine value={operator} onInput={setOperator} />}
      </div>
      <Buttons isBusy={isBusy} isDanger={isDanger} onClose={onClose} />
    </form>
  );
}

interface OperatorLineProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function OperatorLine({ value, onInput }: OperatorLineProps) {
  return <Line label="Your name" value={value} onInput={onInput} hint="Kept in the log with the decision." />;
}

interface ButtonsProps {
  readonly isBusy: boolean;
  readonly isDanger?: boolean;
  readonly onClose: () => void;
}

function Buttons({ isBusy, isDanger = false, onClose }: ButtonsProps) {
  return (
    <div class="actions">
      <button type="submit" class={isDanger ? "danger" : "primary"} disabled={isBusy}>
        Review…
      </button>
      <button type="button" disabled={isBusy} onClick={onClose}>
        Close
      </button>
      <span class="note">
        Nothing is recorded before you confirm it. What you typed stays until the page is loaded anew.
      </span>
    </div>
  );
}

interface LineProps {
  readonly label: string;
  readonly value: string;
  readonly hint: string;
  readonly onInput: (text: string) => void;
}

function Line({ label, value, hint, onInput }: LineProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        dir="auto"
        autocomplete="off"
        value={value}
        aria-describedby={`${id}-note`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <p id={`${id}-note`} class="note">
        {hint}
      </p>
    </div>
  );
}

/** Once the problems are drawn: whoever typed is taken to the first of them. */
function focusFirstProblem(form: HTMLElement): void {
  setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), 50);
}
