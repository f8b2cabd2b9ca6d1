/** Why a handler cannot be registered. */
export type RegistryErrorCode =
  /** Another handler has the name. */
  | "duplicate_name"
  /** The artefact, or what was given instead, holds no schema for the tool. */
  | "missing_schema"
  /** The artefact was generated from another class. */
  | "stale_schema"
  /** The artefact was generated when the class had another effect. */
  | "effect_mismatch"
  /** A schema does not compile. */
  | "invalid_schema"
  /** Not an instance of a class with `@Tool` and `call`. */
  | "not_a_tool"
  /** Neither a doc comment nor the option says what the tool does. */
  | "missing_description"
  /** Two ways to derive the idempotency key. */
  | "ambiguous_idempotency_key"
  /** `timeoutMs` is no duration. */
  | "invalid_timeout"
  /** The artefact is not one that this version reads. */
  | "unsupported_artefact"
  /** No declaration is about the tool. */
  | "undeclared_tool";

/** A handler or an artefact that a `ToolSet` does not accept. Thrown at start-up, before any call. */
export class RegistryError extends Error {
  override readonly name = "RegistryError";
  constructor(
    readonly code: RegistryErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
