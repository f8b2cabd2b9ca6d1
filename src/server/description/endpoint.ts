import type { JsonObject } from "../../contract/json.js";
import type { ErrorCode } from "../api-error.js";
import type { Parameter } from "../parameters.js";

/** Who may call an endpoint (docs/security.md). */
export type Caller = "anyone" | "client" | "driver" | "operator" | "driver and operator";

/** An answer that succeeds. */
export interface Success {
  readonly description: string;
  /** The schema of its JSON. */
  readonly json?: JsonObject;
  /** The schema of the data of each kind of frame, when it may be a stream of server-sent events. */
  readonly frames?: JsonObject;
  /** Whether it is text for machines that is no JSON. */
  readonly text?: true;
}

/** What an endpoint takes and answers, made of the definitions that it validates with. */
export interface Endpoint {
  readonly method: "GET" | "POST";
  /** As the router has it, with `:id`. */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly caller: Caller;
  readonly query?: readonly Parameter<unknown>[];
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonObject }>>;
  readonly body?: JsonObject;
  readonly success: Readonly<Record<number, Success>>;
  /** The codes of its own rules: what every endpoint, a driver, an operator or a body may be refused with is added. */
  readonly errors?: readonly ErrorCode[];
}

/** The codes that whatever is asked may be refused with. */
const ANY: readonly ErrorCode[] = [
  "bad_request",
  "unauthorized",
  "forbidden_origin",
  "internal",
  "store_unavailable",
  "shutting_down",
];
const DRIVER: readonly ErrorCode[] = ["missing_drive_token", "invalid_drive_token", "unknown_run"];
const OPERATOR: readonly ErrorCode[] = ["operator_required"];

/** Every code that an endpoint may answer with. */
export function codesOf({ caller, path, body, errors = [] }: Endpoint): readonly ErrorCode[] {
  return [
    ...new Set([
      ...ANY,
      ...(path.includes(":id") ? (["unknown_run"] as const) : []),
      ...(caller.startsWith("driver") ? DRIVER : []),
      ...(caller.endsWith("operator") ? OPERATOR : []),
      ...(body === undefined ? [] : (["payload_too_large"] as const)),
      ...errors,
    ]),
  ];
}
