import { ownValue, type JsonObject, type JsonValue } from "../contract/json.js";
import { RESERVED_KEY_FIELDS } from "../log/keys.js";
import { kind, type DeclaredSchema, type Report } from "./report.js";

/** A field that a list names, and where in the list. */
interface Field {
  readonly at: number;
  readonly name: string;
}

type FieldKey = "require_equal" | "idempotency_key";
type SchemaKey = "input_schema" | "output_schema";

/** What the lists of fields are held against. */
interface Context {
  readonly input: DeclaredSchema | undefined;
  readonly output: DeclaredSchema | undefined;
  readonly isReported: (key: string) => boolean;
}

/**
 * Checks the two lists that name fields. A field must be required by every schema that it is read under, and that schema must
 * say that the value is an object: otherwise two values that are both missing would compare equal, and guard nothing.
 */
export function checkFields(
  raw: JsonObject,
  { input, output, isReported }: Context,
  report: Report,
): { readonly requireEqual: readonly string[]; readonly idempotencyKey: readonly string[] } {
  const requireEqual = fieldList(raw, "require_equal", isReported, report);
  const idempotencyKey = fieldList(raw, "idempotency_key", isReported, report);

  for (const { at, name } of idempotencyKey) {
    if (RESERVED_KEY_FIELDS.includes(name))
      report(
        ["idempotency_key", at],
        `idempotency_key names the field "${name}", which stands for the call itself`,
        `rename the field; ${RESERVED_KEY_FIELDS.join(", ")} are reserved`,
      );
  }
  const users = (["require_equal", "idempotency_key"] as const).filter(
    (key) => (key === "require_equal" ? requireEqual : idempotencyKey).length > 0,
  );
  if (users.length > 0) {
    checkIsObject("input_schema", input, users, report);
    for (const key of users) {
      const fields = key === "require_equal" ? requireEqual : idempotencyKey;
      checkRequired(key, fields, "input_schema", input, report);
    }
  }
  if (requireEqual.length > 0) {
    if (output === undefined) {
      if (!isReported("output_schema") && !Object.hasOwn(raw, "output_schema"))
        report(
          ["require_equal"],
          "require_equal is given, but output_schema is missing",
          `write [output_schema] with type = "object" and required = ${JSON.stringify(requireEqual.map(({ name }) => name))}`,
        );
    } else {
      checkIsObject("output_schema", output, ["require_equal"], report);
      checkRequired("require_equal", requireEqual, "output_schema", output, report);
    }
  }
  return {
    requireEqual: requireEqual.map(({ name }) => name),
    idempotencyKey: idempotencyKey.map(({ name }) => name),
  };
}

function fieldList(
  raw: JsonObject,
  key: FieldKey,
  isReported: (key: string) => boolean,
  report: Report,
): readonly Field[] {
  const value = ownValue(raw, key);
  if (value === undefined || isReported(key)) return [];
  const advice = `write a list of field names: ${key} = ["amount_cents"]`;
  if (!Array.isArray(value)) {
    report([key], `${key} is ${kind(value)}`, advice);
    return [];
  }
  const fields: Field[] = [];
  for (const [at, name] of (value as readonly JsonValue[]).entries()) {
    if (typeof name !== "string") report([key, at], `${key}[${at}] is ${kind(name)}`, advice);
    else if (name === "") report([key, at], `${key}[${at}] is empty`, advice);
    else if (fields.some((field) => field.name === name))
      report([key, at], `${key} names "${name}" twice`, "name each field once");
    else fields.push({ at, name });
  }
  return fields;
}

function checkIsObject(
  schemaKey: SchemaKey,
  declared: DeclaredSchema | undefined,
  users: readonly FieldKey[],
  report: Report,
): void {
  if (declared === undefined || ownValue(declared.schema, "type") === "object") return;
  const found = ownValue(declared.schema, "type");
  report(
    found === undefined ? [schemaKey] : [schemaKey, "type"],
    `${schemaKey} ${found === undefined ? "has no type" : `has type ${JSON.stringify(found)}`}, but ${users.join(" and ")} ${users.length === 1 ? "needs" : "need"} an object`,
    `write type = "object" in [${schemaKey}]`,
  );
}

function checkRequired(
  key: FieldKey,
  fields: readonly Field[],
  schemaKey: SchemaKey,
  declared: DeclaredSchema | undefined,
  report: Report,
): void {
  if (declared === undefined) return;
  const required = ownValue(declared.schema, "required");
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  for (const { at, name } of fields) {
    if (names.includes(name)) continue;
    report(
      [key, at],
      `${key} names "${name}", which is not in ${schemaKey}.required`,
      `add "${name}" to required in [${schemaKey}]`,
    );
  }
}
