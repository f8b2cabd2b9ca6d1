import { Tool } from "#salvor/contract/tool-decorator.js";
import { ToolSet } from "#salvor/contract/tool-set.js";
import type { ToolCtx, ToolHandler } from "#salvor/contract/tool-handler.js";
import type { ToolOutcome } from "#salvor/contract/tool-outcome.js";
import { createValidator } from "#salvor/schema/index.js";
import type { ClientToolDeclaration } from "#salvor/declarations/declared-tool.js";

export interface RefundInput {
  readonly order_id: string;
  readonly amount_cents: number;
}

export interface Refund {
  readonly refund_id: string;
  readonly amount_cents: number;
}

export const REFUND_INPUT = {
  type: "object",
  required: ["order_id", "amount_cents"],
  properties: { order_id: { type: "string" }, amount_cents: { type: "integer" } },
  additionalProperties: false,
} as const;

export const REFUND_OUTPUT = {
  type: "object",
  required: ["refund_id", "amount_cents"],
  properties: { refund_id: { type: "string" }, amount_cents: { type: "integer" } },
  additionalProperties: false,
} as const;

/** What `salvor schemas` makes of a class `RefundCard` of `tools.ts` for these. */
export const REFUND_ARTEFACT = {
  formatVersion: 1,
  generator: {},
  inputs: {},
  tools: {
    refund_card: {
      class: "RefundCard",
      file: "tools.ts",
      effect: "write",
      description: "Refund a paid order.",
      input: REFUND_INPUT,
      output: REFUND_OUTPUT,
      fingerprint: "sha256:0",
    },
  },
} as const;

/** A card refund: the client's word closes it, the amount is pinned, and order and amount identify it. */
export const REFUND_CARD: ClientToolDeclaration = {
  name: "refund_card",
  effect: "write",
  input_schema: REFUND_INPUT,
  output_schema: REFUND_OUTPUT,
  trust_completion: true,
  require_equal: ["amount_cents"],
  idempotency_key: ["order_id", "amount_cents"],
};

/** The same without an identity of its own: each call is another one. */
export const PAY_OUT: ClientToolDeclaration = { ...REFUND_CARD, name: "pay_out", idempotency_key: [] };

/** Only a person closes this one. */
export const WIRE_OUT: ClientToolDeclaration = { ...PAY_OUT, name: "wire_out", trust_completion: false };

export const FIND_ORDER: ClientToolDeclaration = { ...PAY_OUT, name: "find_order", effect: "read" };

export const RESERVE: ClientToolDeclaration = { ...PAY_OUT, name: "reserve", effect: "idempotent" };

export const ALL = [REFUND_CARD, PAY_OUT, WIRE_OUT, FIND_ORDER, RESERVE];

/** One attempt that reached a tool. */
export interface Attempt {
  readonly tool: string;
  readonly input: RefundInput;
  readonly key: string | undefined;
  readonly attempt: number;
  readonly seq: number | undefined;
}

/** What the next attempts do instead of answering well; the last one given stays in force when `forever` is set. */
export type Answer = (input: RefundInput, ctx: ToolCtx) => unknown;

/** The world that the tools act on: it remembers every attempt, and can be told how to answer. */
export class World {
  readonly attempts: Attempt[] = [];
  readonly #answers: Answer[] = [];

  /** The next attempts answer like this, one each. */
  next(...answers: Answer[]): void {
    this.#answers.push(...answers);
  }

  act(tool: string, ctx: ToolCtx, input: RefundInput): ToolOutcome<Refund> | Promise<Refund> | Refund {
    this.attempts.push({ tool, input, key: ctx.idempotencyKey, attempt: ctx.attempt, seq: ctx.seq });
    const answer = this.#answers.shift();
    if (answer !== undefined) return answer(input, ctx) as Refund;
    return { refund_id: `re_${this.attempts.length}`, amount_cents: input.amount_cents };
  }
}

abstract class Acting implements ToolHandler<RefundInput, Refund> {
  protected abstract readonly tool: string;
  readonly timeoutMs?: number;
  constructor(
    private readonly world: World,
    timeoutMs?: number,
  ) {
    if (timeoutMs !== undefined) this.timeoutMs = timeoutMs;
  }
  call(ctx: ToolCtx, input: RefundInput): Refund | ToolOutcome<Refund> | Promise<Refund> {
    return this.world.act(this.tool, ctx, input);
  }
}

@Tool("write", { description: "Refund a card charge." })
class RefundCard extends Acting {
  protected readonly tool = "refund_card";
}

@Tool("write", { description: "Pay money out." })
export class PayOut extends Acting {
  protected readonly tool = "pay_out";
}

@Tool("write", { description: "Wire money out." })
class WireOut extends Acting {
  protected readonly tool = "wire_out";
}

@Tool("read", { description: "Find an order." })
class FindOrder extends Acting {
  protected readonly tool = "find_order";
}

@Tool("idempotent", { description: "Reserve an amount." })
class Reserve extends Acting {
  protected readonly tool = "reserve";
}

export const NOTHING_GENERATED = { formatVersion: 1, generator: {}, inputs: {}, tools: {} };
export const OWN = { inputSchema: REFUND_INPUT, outputSchema: REFUND_OUTPUT };

export function toolsFor(world: World, timeoutMs?: number): ToolSet {
  return new ToolSet(NOTHING_GENERATED, { validator: createValidator() })
    .register(new RefundCard(world, timeoutMs), OWN)
    .register(new PayOut(world, timeoutMs), OWN)
    .register(new WireOut(world, timeoutMs), OWN)
    .register(new FindOrder(world, timeoutMs), OWN)
    .register(new Reserve(world, timeoutMs), OWN);
}
