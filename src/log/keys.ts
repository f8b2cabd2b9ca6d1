import { ownValue, type JsonObject, type JsonValue } from "../contract/json.js";
import { keyList } from "../contract/key-list.js";
import { hashValue } from "./canonical-json.js";

/** Names that a key field may not have: they stand for the call itself in the hashed object. */
export const RESERVED_KEY_FIELDS: readonly string[] = ["run", "tool", "seq"];

/** The key of a call that declares no identity: it names this attempt, and no other. */
export function attemptKey(runId: string, seq: number, tool: string): string {
  return hashValue({ run: runId, seq, tool });
}

/** A key field that the input does not have as a member of its own. */
export class MissingKeyField extends Error {
  override readonly name = "MissingKeyField";
  readonly code = "missing_key_field";
  constructor(
    readonly tool: string,
    readonly field: string,
    readonly found: readonly string[],
  ) {
    super(
      `the idempotency key of ${tool} needs the field "${field}", which the input does not have (it has ${keyList(found)})`,
    );
  }
}

/**
 * The key of a call whose operator declared which fields identify it: equal for equal values of those fields in one run,
 * in whatever order the operator wrote them.
 *
 * @param fields at least one, none of them {@link RESERVED_KEY_FIELDS}.
 * @throws {@link MissingKeyField} when a field is not an own property of the input. A key is never derived from less than it declares.
 */
export function contentKey(
  runId: string,
  tool: string,
  fields: readonly string[],
  input: JsonObject,
): string {
  if (fields.length === 0) throw new TypeError(`${tool} declares no key field: use attemptKey`);
  const identity: Record<string, JsonValue> = { run: runId, tool };
  for (const field of fields) {
    if (RESERVED_KEY_FIELDS.includes(field)) throw new TypeError(`a key field may not be called "${field}"`);
    const value = ownValue(input, field);
    if (value === undefined) throw new MissingKeyField(tool, field, Object.keys(input));
    Object.defineProperty(identity, field, { value, enumerable: true });
  }
  return hashValue(identity);
}
