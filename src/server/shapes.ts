import type { JsonObject, JsonSchema, JsonValue } from "../contract/json.js";
import type { FailureKind } from "../contract/reserved.js";
import type { Usage } from "../log/events.js";
import { shape } from "./shape.js";

const seq = { type: "integer", minimum: 0 } as const;
const unsigned = { type: "integer", minimum: 0 } as const;
const text = { type: "string" } as const;
/** Free-form: kept as it came. */
const any = {} as const;

function body(required: readonly string[], properties: JsonObject, rest: JsonObject = {}): JsonObject {
  return { type: "object", required, properties, ...rest };
}

export interface OpenBody {
  readonly agent?: JsonValue;
  readonly input?: JsonValue;
  readonly run_id?: JsonValue;
  readonly record_prompts?: boolean;
}
export const OPEN = shape<OpenBody>(
  body([], { agent: any, input: any, run_id: any, record_prompts: { type: "boolean" } }),
);

export interface IntentBody {
  readonly seq: number;
  readonly tool: string;
  readonly input: JsonValue;
}
export const INTENT = shape<IntentBody>(body(["seq", "tool", "input"], { seq, tool: text, input: any }));

export interface ToolStepBody extends IntentBody {
  readonly idempotency_key?: string;
}
export const TOOL_STEP = shape<ToolStepBody>(
  body(["seq", "tool", "input"], { seq, tool: text, idempotency_key: { type: "string", minLength: 1 } }),
);

/** Exactly one of the three is there. */
export interface CompletionBody {
  readonly seq: number;
  readonly output?: JsonValue;
  readonly error?: { readonly message: string; readonly kind?: FailureKind };
  readonly suspend?: { readonly reason: string; readonly input_schema: JsonSchema };
}
export const COMPLETION = shape<CompletionBody>(
  body(
    ["seq"],
    {
      seq,
      output: any,
      error: body(["message"], {
        message: text,
        kind: { enum: ["invalid_input", "handler", "output_serialization"] },
      }),
      suspend: body(["reason", "input_schema"], {
        reason: text,
        input_schema: { type: ["object", "boolean"] },
      }),
    },
    { oneOf: [{ required: ["output"] }, { required: ["error"] }, { required: ["suspend"] }] },
  ),
);

export interface ModelIntentBody {
  readonly seq: number;
  readonly request_hash: string;
  readonly request_body?: JsonValue;
}
export const MODEL_INTENT = shape<ModelIntentBody>(
  body(["seq", "request_hash"], { seq, request_hash: text, request_body: any }),
);

export interface ModelCompletionBody {
  readonly seq: number;
  readonly response: JsonValue;
  readonly usage: Usage;
}
export const MODEL_COMPLETION = shape<ModelCompletionBody>(
  body(["seq", "response", "usage"], {
    seq,
    response: any,
    usage: body(["input_tokens", "output_tokens"], { input_tokens: unsigned, output_tokens: unsigned }),
  }),
);

export interface ModelStepBody {
  readonly seq: number;
  readonly request: JsonValue;
}
export const MODEL_STEP = shape<ModelStepBody>(body(["seq", "request"], { seq }));

export interface ResolveBody {
  readonly seq?: number;
  readonly output?: JsonValue;
  readonly not_performed?: boolean;
  readonly override?: boolean;
  readonly note?: string;
  readonly operator?: string;
}
export const RESOLVE = shape<ResolveBody>(
  body([], {
    seq,
    output: any,
    not_performed: { type: "boolean" },
    override: { type: "boolean" },
    note: text,
    operator: text,
  }),
);

export interface ResumeBody {
  readonly seq?: number;
  readonly input?: JsonValue;
}
export const RESUME = shape<ResumeBody>(body([], { seq, input: any }));

/** What a run over budget is resumed with. */
export const BUDGET_EXTENSION = shape<JsonObject>(
  body([], {
    extend: body([], {
      steps: unsigned,
      tokens: unsigned,
      cost_usd: { type: "number" },
      wall_time_seconds: { type: "number" },
    }),
  }),
);

export interface AbandonBody {
  readonly seq?: number;
  readonly reason?: string;
}
export const ABANDON = shape<AbandonBody>(body([], { seq, reason: text }));

/** The most events that one append takes. */
export const MAX_EVENTS = 1024;

export interface EventsBody {
  readonly events: readonly JsonObject[];
}
export const EVENTS = shape<EventsBody>(
  body(["events"], { events: { type: "array", maxItems: MAX_EVENTS, items: { type: "object" } } }),
);

/** The most steps that one request takes. */
export const MAX_STEPS = 64;

export interface StepsBody {
  readonly steps: readonly JsonObject[];
}
export const STEPS = shape<StepsBody>(
  body(["steps"], { steps: { type: "array", maxItems: MAX_STEPS, items: { type: "object" } } }),
);
