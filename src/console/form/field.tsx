import { useId } from "preact/hooks";
import { isJsonObject, type JsonSchema, type JsonValue } from "../../contract/json.js";
import { pathText, type JsonPath } from "../../contract/json-path.js";
import type { Difference } from "../ui/differences.js";
import { Differing, DiffersHere } from "../ui/differing.js";
import { moneyOf } from "../ui/money.js";
import { cut, visible } from "../ui/visible.js";
import { boundsOf } from "./example.js";
import type { Form } from "./form-state.js";
import { ListFields, TupleFields } from "./list-fields.js";
import { planOf, type Plan } from "./plan.js";
import { ScalarInput } from "./scalar-input.js";
import { textIn } from "./schema-reading.js";
import { startOf, valueAt } from "./values.js";
import { VariantFields } from "./variant-fields.js";

export interface FieldProps {
  readonly form: Form;
  readonly schema: JsonSchema;
  readonly path: JsonPath;
  readonly label: string;
  readonly required: boolean;
  /** Whether it is the whole value, which the form has named already. */
  readonly isRoot?: boolean;
}

/** From here on a value is asked for as JSON: a schema that refers to itself has no end. */
const DEEPEST = 8;

/** How many members of an object are drawn. */
const MOST_MEMBERS = 150;

/** One value of a form, and those in it. */
export function Field(props: FieldProps) {
  const { form, schema, path, label, required, isRoot = false } = props;
  const plan: Plan = path.length > DEEPEST ? { kind: "raw" } : planOf(schema, form.schema);
  if (plan.kind === "object" || plan.kind === "list" || plan.kind === "tuple" || plan.kind === "variants") {
    if (isRoot) return <Group {...props} plan={plan} />;
    // Which variant it is can be left open; anything else is there or is added.
    const isThere = plan.kind === "variants" || valueAt(form.value, path) !== undefined;
    return (
      <fieldset class="nested">
        <legend>
          <Label label={label} schema={schema} required={required} />
        </legend>
        <Problems form={form} path={path} />
        <DiffersHere difference={form.differences.get(pathText(path))} />
        {isThere && <Group {...props} plan={plan} />}
        {plan.kind !== "variants" && !(required && isThere) && (
          <Optional form={form} path={path} label={label} isThere={isThere} schema={schema} />
        )}
      </fieldset>
    );
  }
  return <Scalar {...props} plan={plan} />;
}

type GroupPlan = Extract<Plan, { kind: "object" | "list" | "tuple" | "variants" }>;

function Group({ plan, ...props }: FieldProps & { readonly plan: GroupPlan }) {
  const { form, path } = props;
  switch (plan.kind) {
    case "list":
      return <ListFields {...props} item={plan.item} />;
    case "tuple":
      return <TupleFields {...props} items={plan.items} />;
    case "variants":
      return <VariantFields {...props} variants={plan.variants} />;
    case "object": {
      const isPinned = (name: string): boolean => path.length === 0 && Object.hasOwn(form.pins, name);
      const free = plan.members.filter(({ name }) => !isPinned(name));
      const drawn = free.slice(0, MOST_MEMBERS);
      const value = valueAt(form.value, path);
      const known = new Set(plan.members.map(({ name }) => name));
      const others = isJsonObject(value)
        ? Object.keys(value).filter((name) => !known.has(name) && !isPinned(name))
        : [];
      return (
        <>
          {drawn.map(({ name, schema, required }) => (
            <Field
              key={name}
              form={form}
              schema={schema}
              path={[...path, name]}
              label={name}
              required={required}
            />
          ))}
          {free.length > drawn.length && (
            <p class="note">The schema has more members than are drawn. Write those as JSON.</p>
          )}
          {others.length > 0 && (
            <p class="note">
              Also in the JSON: <bdi>{cut(visible(others.join(", ")), 200)}</bdi>
            </p>
          )}
          {others.map((name) => (
            <Problems key={name} form={form} path={[...path, name]} named={name} />
          ))}
          <Differing differences={others.flatMap((name) => differencesBelow(form, [...path, name]))} />
        </>
      );
    }
  }
}

function Scalar({ form, schema, path, label, required, plan }: FieldProps & { readonly plan: Plan }) {
  const id = useId();
  const place = pathText(path);
  const problems = form.problems.get(place) ?? [];
  const bounds = boundsOf(schema, form.schema);
  const description = textIn(schema, "description");
  // What else it has to be is no help below what is wrong with it.
  const hints = problems.length > 0 ? [description] : [description, bounds];
  const notes = hints.filter((words) => words !== undefined && words !== "").join(" · ");
  return (
    <div class="field">
      <label for={id}>
        <Label label={label} schema={schema} required={required} />
      </label>
      <ScalarInput
        id={id}
        form={form}
        path={path}
        plan={plan}
        hasProblem={problems.length > 0}
        required={required}
      />
      <div id={`${id}-note`}>
        {problems.map((problem) => (
          <p class="problem" key={problem}>
            {cut(visible(problem), 400)}
          </p>
        ))}
        <Money path={path} value={valueAt(form.value, path)} />
        <DiffersHere difference={form.differences.get(place)} />
        {plan.kind === "raw" && <Differing differences={differencesBelow(form, path, true)} />}
        {notes !== "" && <p class="note">{cut(visible(notes), 300)}</p>}
      </div>
    </div>
  );
}

/** What was typed as cents, as people read money. */
export function Money({ path, value }: { readonly path: JsonPath; readonly value: JsonValue | undefined }) {
  const money = moneyOf(path.at(-1), value);
  return money === undefined ? null : (
    <p class="read-as">
      in money <strong>{money}</strong>
    </p>
  );
}

/** Of a value that is drawn as one, what differs in it. */
function differencesBelow(form: Form, path: JsonPath, isInside = false): readonly Difference[] {
  const place = pathText(path);
  const begins = [`${place}.`, `${place}[`];
  return [...form.differences.values()].filter(
    (each) =>
      (!isInside && each.place === place) || begins.some((beginning) => each.place.startsWith(beginning)),
  );
}

export function Label({ label, schema, required }: Pick<FieldProps, "label" | "schema" | "required">) {
  const title = textIn(schema, "title");
  return (
    <>
      <bdi>{cut(visible(label), 80)}</bdi>
      {title !== undefined && <span class="title"> {cut(visible(title), 80)}</span>}
      {!required && <span class="tag">optional</span>}
    </>
  );
}

export function Problems({
  form,
  path,
  named,
}: {
  readonly form: Form;
  readonly path: JsonPath;
  readonly named?: string;
}) {
  const problems = form.problems.get(pathText(path)) ?? [];
  return (
    <>
      {problems.map((problem) => (
        <p class="problem" key={problem}>
          {named !== undefined && <bdi>{cut(visible(named), 60)}: </bdi>}
          {cut(visible(problem), 400)}
        </p>
      ))}
    </>
  );
}

function Optional({
  form,
  path,
  label,
  isThere,
  schema,
}: Pick<FieldProps, "form" | "path" | "label" | "schema"> & { readonly isThere: boolean }) {
  const toggle = (): void => {
    const start = startOf(schema, form.schema);
    form.set(path, isThere ? undefined : (start ?? {}));
  };
  return (
    <button type="button" class="quiet" onClick={toggle}>
      {isThere ? "Leave out" : "Add"} {cut(visible(label), 40)}
    </button>
  );
}
