import type { JsonValue } from "#salvor/contract/json.js";
import type { ToolCtx } from "#salvor/contract/tool-handler.js";
import type { Ledger } from "./ledger.js";

/** The operator's declarations of the desk: two writes, one with an identity of its own and one without, and a read. */
export const DESK_DECLARATIONS: Readonly<Record<string, string>> = {
  "refund_card.toml": `
name = "refund_card"
effect = "write"
trust_completion = true
require_equal = ["amount_cents"]
idempotency_key = ["order_id", "amount_cents"]
description = "Refund a card charge."
${payment()}`,
  "send_voucher.toml": `
name = "send_voucher"
effect = "write"
trust_completion = true
require_equal = ["amount_cents"]
description = "Send the customer a voucher."
${payment()}`,
  "find_order.toml": `
name = "find_order"
effect = "read"
trust_completion = true
description = "Look an order up."

[input_schema]
type = "object"
required = ["order_id"]
[input_schema.properties.order_id]
type = "string"

[output_schema]
type = "object"
required = ["order_id", "paid_cents"]
[output_schema.properties.order_id]
type = "string"
[output_schema.properties.paid_cents]
type = "integer"
`,
};

function payment(): string {
  return `
[input_schema]
type = "object"
required = ["order_id", "amount_cents"]
[input_schema.properties.order_id]
type = "string"
[input_schema.properties.amount_cents]
type = "integer"

[output_schema]
type = "object"
required = ["receipt", "amount_cents"]
[output_schema.properties.receipt]
type = "string"
[output_schema.properties.amount_cents]
type = "integer"
`;
}

export interface PaymentInput {
  readonly order_id: string;
  readonly amount_cents: number;
}

/** What the desk's tools do. A type, because an interface is no record of functions. */
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions
export type DeskHandlers = {
  readonly refund_card: (ctx: ToolCtx, input: PaymentInput) => JsonValue;
  readonly send_voucher: (ctx: ToolCtx, input: PaymentInput) => JsonValue;
  readonly find_order: (ctx: ToolCtx, input: { readonly order_id: string }) => JsonValue;
};

/** @param done is told the name of a tool when its effect has happened, before anybody else hears of it. */
export function deskHandlers(ledger: Ledger, done: (tool: string) => void = () => undefined): DeskHandlers {
  const paying =
    (tool: string) =>
    ({ idempotencyKey: key }: ToolCtx, { amount_cents }: PaymentInput) => {
      if (key === undefined) throw new Error(`${tool} was called without a key`);
      const { receipt } = ledger.pay({ key, tool, amount_cents, paidBy: "program" });
      done(tool);
      return { receipt, amount_cents };
    };
  return {
    refund_card: paying("refund_card"),
    send_voucher: paying("send_voucher"),
    find_order: (_ctx, { order_id }) => {
      done("find_order");
      return { order_id, paid_cents: 2000 };
    },
  };
}

/** A call that the scripted model asks for. */
export interface ScriptedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, string | number>>;
}

/** What the scripted model answers: calls, or its last words. */
export interface Turn {
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
}

export const PROMPT = "Order A-17 came broken. Refund five, and send a voucher.";

/** One conversation: a write and a read in one turn, another write, then words. */
export const SCRIPT: readonly Turn[] = [
  {
    text: "I refund it and look the order up.",
    calls: [
      { id: "call_refund", tool: "refund_card", input: { order_id: "A-17", amount_cents: 500 } },
      { id: "call_find", tool: "find_order", input: { order_id: "A-17" } },
    ],
  },
  {
    text: "",
    calls: [{ id: "call_voucher", tool: "send_voucher", input: { order_id: "A-17", amount_cents: 1000 } }],
  },
  { text: "Refunded, and a voucher is on its way.", calls: [] },
];

/** What the script says behind so many results of tools: a scripted model keeps no state. */
export function scriptedTurn(results: number, script: readonly Turn[] = SCRIPT): Turn {
  let answered = 0;
  for (const turn of script) {
    if (answered === results) return turn;
    answered += turn.calls.length;
  }
  throw new Error(`the script has no turn behind ${results} results`);
}
