import type { JsonObject } from "../../contract/json.js";

/** Any JSON value, kept as it came. */
export const any = {} as const;
export const text = { type: "string" } as const;
export const flag = { type: "boolean" } as const;
export const seq = { type: "integer", minimum: 0 } as const;
export const moment = { type: "string", format: "date-time" } as const;
export const uuid = { type: "string", format: "uuid" } as const;

export function object(required: readonly string[], properties: JsonObject): JsonObject {
  return { type: "object", required, properties };
}

/** A schema under `components`. */
export function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}
