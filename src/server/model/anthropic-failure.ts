import { isJsonObject, ownValue, type JsonValue } from "../../contract/json.js";
import { JsonSyntaxError } from "../../log/json-syntax-error.js";
import { ModelFailure } from "./model-failure.js";

/** The most characters of a provider's own words that are passed on. */
const MAX_SAID = 1_000;

/**
 * What became of a call, in words that hold no key. Only what a provider says about requests in general is logged: its
 * status, the type of its error, and the id to ask it by.
 *
 * @param key is taken out of everything that a provider said.
 */
export function failureOf(error: unknown, key: string): ModelFailure {
  const safe = (text: unknown, limit: number): string | undefined =>
    typeof text === "string" && text !== "" ? text.replaceAll(key, "[key]").slice(0, limit) : undefined;
  if (error instanceof ModelFailure) return new ModelFailure(error.message, safe(error.said, MAX_SAID));
  if (error instanceof JsonSyntaxError) {
    return new ModelFailure("the provider's answer is not acceptable JSON", safe(error.message, MAX_SAID));
  }
  // By their shape and not by their class: the SDK is loaded only when it is used.
  const { name, status, type, requestID, apiMessage } = Object(error) as Readonly<Record<string, unknown>>;
  if (typeof status === "number") {
    const words = [`the provider answered ${status}`, safe(type, 100)];
    const id = safe(requestID, 100);
    if (id !== undefined) words.push(`(request ${id})`);
    return new ModelFailure(words.filter(Boolean).join(" "), safe(apiMessage, MAX_SAID));
  }
  if (name === "APIConnectionTimeoutError") return new ModelFailure("the provider did not answer in time");
  const code = codeOf(error);
  const reason = code === undefined ? "" : ` (${code})`;
  return name === "APIConnectionError"
    ? new ModelFailure(`the provider could not be reached${reason}`)
    : new ModelFailure(`the provider's answer broke off${reason}`);
}

/** The failure that a stream says within itself, or `undefined` when an event says none. */
export function failureIn(event: JsonValue): ModelFailure | undefined {
  if (!isJsonObject(event) || ownValue(event, "type") !== "error") return undefined;
  const error = ownValue(event, "error");
  const [type, message] = isJsonObject(error) ? [ownValue(error, "type"), ownValue(error, "message")] : [];
  const kind = typeof type === "string" && /^[a-z_]{1,64}$/.test(type) ? ` (${type})` : "";
  return new ModelFailure(
    `the provider broke its answer off${kind}`,
    typeof message === "string" ? message : undefined,
  );
}

/** What the system calls the reason, as `ECONNREFUSED`: its messages name addresses. */
function codeOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === "string" && /^[A-Z_]{1,40}$/.test(code)) return code;
  }
  return undefined;
}
