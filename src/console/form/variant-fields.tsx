import { useId, useState } from "preact/hooks";
import { cut, visible } from "../ui/visible.js";
import { Field, type FieldProps } from "./field.js";
import type { Variant } from "./plan.js";
import { looksLike, startOf, valueAt } from "./values.js";

/** A value that is one of several things: which one, and then its fields. */
export function VariantFields({
  form,
  path,
  label,
  required,
  variants,
}: FieldProps & { readonly variants: readonly Variant[] }) {
  const id = useId();
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const value = valueAt(form.value, path);
  const fitting = variants.findIndex(({ schema }) => looksLike(schema, value, form.schema));
  const isChosenFit = chosen !== undefined && fits(variants[chosen], value);
  // What somebody writes as JSON may be another thing than what was chosen before.
  const at = isChosenFit || fitting < 0 ? chosen : fitting;
  const variant = at === undefined ? undefined : variants[at];

  function fits(one: Variant | undefined, what: typeof value): boolean {
    return one !== undefined && (what === undefined || looksLike(one.schema, what, form.schema));
  }
  const choose = (next: number | undefined): void => {
    setChosen(next);
    const one = next === undefined ? undefined : variants[next];
    form.set(path, one === undefined ? undefined : startOf(one.schema, form.schema));
  };
  return (
    <>
      <div class="field">
        <label for={id}>Which</label>
        <select
          id={id}
          value={at === undefined ? "" : String(at)}
          onChange={({ currentTarget: { value: next } }) => choose(next === "" ? undefined : Number(next))}
        >
          <option value="">choose…</option>
          {variants.map(({ label: name }, index) => (
            <option key={index} value={String(index)}>
              {cut(visible(name), 80)}
            </option>
          ))}
        </select>
      </div>
      {variant !== undefined && (
        <Field
          key={at}
          form={form}
          schema={variant.schema}
          path={path}
          label={label}
          required={required}
          isRoot={true}
        />
      )}
    </>
  );
}
