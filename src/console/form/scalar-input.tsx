import type { JsonPath } from "../../contract/json-path.js";
import type { JsonValue } from "../../contract/json.js";
import { pathText } from "../../contract/json-path.js";
import { lineJson } from "../ui/json-text.js";
import { cut, visible } from "../ui/visible.js";
import { isCentsName } from "../ui/money.js";
import type { Form } from "./form-state.js";
import type { Plan } from "./plan.js";
import { readJson } from "./read-json.js";
import { typedNumber } from "./typed-number.js";
import { valueAt } from "./values.js";

interface ScalarInputProps {
  readonly id: string;
  readonly form: Form;
  readonly path: JsonPath;
  readonly plan: Plan;
  readonly hasProblem: boolean;
  readonly required: boolean;
}

/** The control of one value. An empty one stands for a value that is left out. */
export function ScalarInput({ id, form, path, plan, hasProblem, required }: ScalarInputProps) {
  const value = valueAt(form.value, path);
  const shared = {
    id,
    "aria-invalid": hasProblem,
    "aria-describedby": `${id}-note`,
    "aria-required": required,
  };
  const typed = form.drafts.get(pathText(path))?.text;
  switch (plan.kind) {
    case "choice":
      return (
        <Choice
          shared={shared}
          options={plan.options}
          value={value}
          onChoose={(next) => form.set(path, next)}
        />
      );
    case "flag":
      return (
        <Choice
          shared={shared}
          options={[true, false]}
          value={value}
          onChoose={(next) => form.set(path, next)}
        />
      );
    case "null":
      return (
        <Choice shared={shared} options={[null]} value={value} onChoose={(next) => form.set(path, next)} />
      );
    case "text": {
      const text = typeof value === "string" ? value : value === undefined ? "" : lineJson(value);
      const set = (next: string): void => form.set(path, next === "" ? undefined : next);
      return plan.isLong || text.includes("\n") ? (
        <textarea
          {...shared}
          rows={4}
          dir="auto"
          value={text}
          onInput={(event) => set(event.currentTarget.value)}
        />
      ) : (
        <input
          {...shared}
          dir="auto"
          autocomplete="off"
          value={text}
          onInput={(event) => set(event.currentTarget.value)}
        />
      );
    }
    case "number": {
      const text = typed ?? (value === undefined ? "" : lineJson(value));
      // Cents are counted, whatever their schema lets them be.
      const isWhole = plan.isWhole || isCentsName(path.at(-1));
      return (
        <input
          {...shared}
          class="mono"
          inputMode={isWhole ? "numeric" : "decimal"}
          autocomplete="off"
          value={text}
          onInput={(event) => setNumber(form, path, event.currentTarget.value, isWhole)}
        />
      );
    }
    default: {
      const text = typed ?? (value === undefined ? "" : lineJson(value));
      return (
        <textarea
          {...shared}
          class="mono"
          rows={3}
          spellcheck={false}
          placeholder="JSON"
          value={text}
          onInput={(event) => setJson(form, path, event.currentTarget.value)}
        />
      );
    }
  }
}

function setNumber(form: Form, path: JsonPath, text: string, isWhole: boolean): void {
  const { value, problem } = typedNumber(text, isWhole);
  if (value === undefined && problem === "") form.set(path, undefined);
  else form.set(path, value, { text, problem });
}

function setJson(form: Form, path: JsonPath, text: string): void {
  const { value, problem } = readJson(text);
  form.set(path, value, { text, problem });
}

interface ChoiceProps {
  readonly shared: object;
  readonly options: readonly JsonValue[];
  readonly value: JsonValue | undefined;
  readonly onChoose: (value: JsonValue | undefined) => void;
}

function Choice({ shared, options, value, onChoose }: ChoiceProps) {
  const at = value === undefined ? -1 : options.findIndex((option) => lineJson(option) === lineJson(value));
  return (
    <select
      {...shared}
      value={at < 0 ? "" : String(at)}
      onChange={({ currentTarget: { value: next } }) =>
        onChoose(next === "" ? undefined : options[Number(next)])
      }
    >
      <option value="">
        {value === undefined || at >= 0 ? "choose…" : cut(visible(lineJson(value)), 60)}
      </option>
      {options.map((option, index) => (
        <option key={index} value={String(index)}>
          {cut(visible(typeof option === "string" ? option : lineJson(option)), 80)}
        </option>
      ))}
    </select>
  );
}
