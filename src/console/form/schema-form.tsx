import { useId } from "preact/hooks";
import { pathText } from "../../contract/json-path.js";
import { Differing } from "../ui/differing.js";
import { lineJson } from "../ui/json-text.js";
import { cut, visible } from "../ui/visible.js";
import { Field, Money } from "./field.js";
import type { Form } from "./form-state.js";
import { planOf } from "./plan.js";

interface SchemaFormProps {
  readonly form: Form;
  /** What the value is, as `What came of it`. */
  readonly title: string;
  readonly disabled: boolean;
}

/** A value as fields, drawn from its schema, and as JSON beside them. What is changed in one is changed in the other. */
export function SchemaForm({ form, title, disabled }: SchemaFormProps) {
  const { schema, raw, rawProblem, problems } = form;
  const id = useId();
  const plan = planOf(schema, schema);
  const whole = problems.get("$") ?? [];
  const elsewhere = [...problems].filter(([place]) => place !== "$");
  const rawProblems = [...(rawProblem === "" ? [] : [rawProblem]), ...whole];
  return (
    <div class="schema-form">
      <fieldset class="fields" disabled={disabled || rawProblem !== ""}>
        <legend>{title}</legend>
        <Pins form={form} />
        {plan.kind === "raw" ? (
          <p class="note">Its schema cannot be drawn as fields. Write it as JSON.</p>
        ) : (
          <Field form={form} schema={schema} path={[]} label={title} required={true} isRoot={true} />
        )}
        {rawProblem !== "" && <p class="note">The fields wait until the JSON can be read again.</p>}
      </fieldset>
      <div class="raw field">
        <label for={id}>As JSON</label>
        <textarea
          id={id}
          class="mono"
          spellcheck={false}
          rows={Math.min(18, Math.max(6, raw.split("\n").length + 1))}
          value={raw}
          disabled={disabled}
          aria-invalid={rawProblems.length > 0}
          aria-describedby={`${id}-note`}
          onInput={(event) => form.setRaw(event.currentTarget.value)}
        />
        <div id={`${id}-note`} aria-live="polite">
          {rawProblems.map((problem) => (
            <p class="problem" key={problem}>
              {cut(visible(problem), 400)}
            </p>
          ))}
          {plan.kind === "raw" &&
            elsewhere.map(([place, messages]) => (
              <p class="problem" key={place}>
                <code>{visible(place)}</code> {cut(visible(messages.join("; ")), 400)}
              </p>
            ))}
          {plan.kind === "raw" && <Differing differences={[...form.differences.values()]} />}
        </div>
      </div>
    </div>
  );
}

/** What is not for a person to choose, filled in and locked. */
function Pins({ form: { pins, problems } }: { readonly form: Form }) {
  const id = useId();
  return (
    <>
      {Object.entries(pins).map(([name, value]) => {
        const wrong = problems.get(pathText([name])) ?? [];
        return (
          <div class="field pinned" key={name}>
            <label for={`${id}-${name}`}>
              <bdi>{cut(visible(name), 80)}</bdi> <span class="tag">pinned</span>
            </label>
            <input
              id={`${id}-${name}`}
              class="mono"
              readOnly
              value={typeof value === "string" ? value : lineJson(value)}
              aria-describedby={`${id}-${name}-note`}
            />
            <div id={`${id}-${name}-note`}>
              <Money path={[name]} value={value} />
              <p class={wrong.length === 0 ? "note" : "problem"}>
                {wrong.length === 0 ? "Has to equal the input." : wrong.join(" ")}
              </p>
            </div>
          </div>
        );
      })}
    </>
  );
}
