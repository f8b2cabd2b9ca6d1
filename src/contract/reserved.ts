import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "./json.js";

/** Why a call failed: the input was refused, the handler said so, or the output could not be recorded. */
export type FailureKind = "invalid_input" | "handler" | "output_serialization";

/** A recorded failure, as it stands in a log (docs/http-api.md, "Reserved outputs"). */
export interface FailureOutput extends JsonObject {
  readonly __salvor_error: {
    readonly is_error: true;
    readonly kind: FailureKind;
    readonly message: string;
    /** How often the call was tried; 0 when a person said that it was not performed. */
    readonly attempts: number;
  };
}

/** A recorded suspension, as it stands in a log. */
export interface SuspensionOutput extends JsonObject {
  readonly __salvor_suspend: { readonly reason: string; readonly input_schema: JsonSchema };
}

/** The output that records a failed call. */
export function failureOutput(kind: FailureKind, message: string, attempts: number): FailureOutput {
  return { __salvor_error: { is_error: true, kind, message, attempts } };
}

/** The output that records a suspended call. */
export function suspensionOutput(reason: string, inputSchema: JsonSchema): SuspensionOutput {
  return { __salvor_suspend: { reason, input_schema: inputSchema } };
}

/** Whether an output records a failure: an object with exactly the one reserved key. */
export function isFailureOutput(output: JsonValue): output is FailureOutput {
  return hasOnlyKey(output, "__salvor_error");
}

/** Whether an output records a suspension: an object with exactly the one reserved key. */
export function isSuspensionOutput(output: JsonValue): output is SuspensionOutput {
  return hasOnlyKey(output, "__salvor_suspend");
}

/** The reserved key that an output of a tool's own may not be, or `undefined` when the output is free to be recorded. */
export function reservedKey(output: JsonValue): "__salvor_error" | "__salvor_suspend" | undefined {
  if (isFailureOutput(output)) return "__salvor_error";
  if (isSuspensionOutput(output)) return "__salvor_suspend";
  return undefined;
}

function hasOnlyKey(output: JsonValue, key: string): boolean {
  return isJsonObject(output) && Object.hasOwn(output, key) && Object.keys(output).length === 1;
}
