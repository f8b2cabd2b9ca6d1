import type { Effect } from "../effect.js";
import type { ToolAnnotations } from "./tool-annotations.js";

/** The hints that publish an effect to MCP clients. `effectOf` reads each of them back as the same effect. */
export function annotationsOf(effect: Effect): ToolAnnotations {
  switch (effect) {
    case "read":
      return { readOnlyHint: true };
    case "idempotent":
      return { readOnlyHint: false, idempotentHint: true };
    case "write":
      return { readOnlyHint: false, destructiveHint: true, idempotentHint: false };
  }
}
