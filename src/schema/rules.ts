import type { CheckRules } from "./check-schema.js";
import type { Trust } from "./judge-protocol.js";
import { TRUSTED_LIMITS, UNTRUSTED_LIMITS } from "./limits.js";

/** How a schema is checked, by who wrote it. */
export const RULES: Readonly<Record<Trust, CheckRules>> = {
  operator: { strict: true, limits: TRUSTED_LIMITS },
  author: { strict: false, limits: TRUSTED_LIMITS },
  untrusted: { strict: false, limits: UNTRUSTED_LIMITS },
};
