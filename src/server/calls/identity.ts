import { isJsonObject, type JsonValue } from "../../contract/json.js";
import type { ClientToolDeclaration } from "../../declarations/declared-tool.js";
import { attemptKey, contentKey, MissingKeyField } from "../../log/keys.js";
import { ApiError } from "../api-error.js";

/** The key of a new call, and whether holding it keeps the same call from being performed again. */
export interface CallIdentity {
  readonly key: string;
  readonly exclusive: boolean;
}

/**
 * Derives the key of a new client call from what the operator declared. What the client says about keys plays no part.
 *
 * @throws ApiError `bad_request` naming a key field that is not an own property of the input.
 */
export function identityOf(
  { name, effect, idempotency_key: fields }: ClientToolDeclaration,
  run: string,
  seq: number,
  input: JsonValue,
): CallIdentity {
  if (fields.length === 0) return { key: attemptKey(run, seq, name), exclusive: false };
  try {
    // A read is never answered from an older call, so it holds nothing.
    return {
      key: contentKey(run, name, fields, isJsonObject(input) ? input : {}),
      exclusive: effect !== "read",
    };
  } catch (error) {
    if (error instanceof MissingKeyField) throw new ApiError("bad_request", error.message, { cause: error });
    throw error;
  }
}
