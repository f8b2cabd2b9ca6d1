import type { JsonSchema, JsonValue } from "../../contract/json.js";
import { Field, type FieldProps } from "./field.js";
import { startOf, valueAt } from "./values.js";

/** A list of any length. */
export function ListFields({ form, path, label, item }: FieldProps & { readonly item: JsonSchema }) {
  const value = valueAt(form.value, path);
  const items = Array.isArray(value) ? (value as readonly JsonValue[]) : [];
  const add = (): void => {
    form.set(path, [...items, startOf(item, form.schema) ?? null]);
  };
  const remove = (at: number): void => {
    form.set(
      path,
      items.filter((_, index) => index !== at),
    );
  };
  return (
    <>
      {items.map((_, at) => (
        // An item has no name but its place.
        <div class="item" key={at}>
          <Field
            form={form}
            schema={item}
            path={[...path, at]}
            label={`${label} ${at + 1}`}
            required={true}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${label} ${at + 1}`}
            onClick={() => remove(at)}
          >
            Remove
          </button>
        </div>
      ))}
      <button type="button" class="quiet" onClick={add}>
        Add an item
      </button>
    </>
  );
}

/** A list whose items each have a meaning of their own. */
export function TupleFields({
  form,
  path,
  label,
  items,
}: FieldProps & { readonly items: readonly JsonSchema[] }) {
  return (
    <>
      {items.map((item, at) => (
        <Field
          key={at}
          form={form}
          schema={item}
          path={[...path, at]}
          label={`${label} ${at + 1}`}
          required={true}
        />
      ))}
    </>
  );
}
