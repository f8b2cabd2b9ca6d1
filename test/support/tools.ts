import type { DeclarationInput } from "#salvor/declarations/index.js";

const order = { order_id: { type: "string" }, amount_cents: { type: "integer" } };
const refunded = {
  type: "object",
  required: ["refund_id", "amount_cents"],
  properties: { refund_id: { type: "string", minLength: 1 }, amount_cents: { type: "integer" } },
};

/** A write that the client may close, with an identity and a pinned amount. */
export const REFUND_CARD: DeclarationInput = {
  name: "refund_card",
  effect: "write",
  trust_completion: true,
  require_equal: ["amount_cents"],
  idempotency_key: ["order_id"],
  description: "Refund a card charge.",
  input_schema: {
    type: "object",
    required: ["order_id", "amount_cents"],
    properties: { ...order, note: { type: "string" } },
  },
  output_schema: refunded,
};

/** A write that only a person closes. */
export const PAY_OUT: DeclarationInput = {
  name: "pay_out",
  effect: "write",
  trust_completion: false,
  require_equal: ["amount_cents"],
  input_schema: {
    type: "object",
    required: ["iban", "amount_cents"],
    properties: { iban: { type: "string" }, amount_cents: { type: "integer" } },
  },
  output_schema: {
    type: "object",
    required: ["transfer_id", "amount_cents"],
    properties: { transfer_id: { type: "string" }, amount_cents: { type: "integer" } },
  },
};

/** A read that no client may close, because nothing says what its answer looks like. */
export const LOOK_UP: DeclarationInput = {
  name: "look_up",
  effect: "read",
  trust_completion: true,
  input_schema: { type: "object", properties: { q: { type: "string" } } },
};

/** A read with a declared key, which is never answered from an older call. */
export const GET_PRICE: DeclarationInput = {
  name: "get_price",
  effect: "read",
  trust_completion: true,
  idempotency_key: ["sku"],
  input_schema: { type: "object", required: ["sku"], properties: { sku: { type: "string" } } },
  output_schema: { type: "object", required: ["cents"], properties: { cents: { type: "integer" } } },
};

/** An idempotent call with a declared key. */
export const SET_ADDRESS: DeclarationInput = {
  name: "set_address",
  effect: "idempotent",
  trust_completion: true,
  idempotency_key: ["customer", "street"],
  input_schema: {
    type: "object",
    required: ["customer", "street"],
    properties: { customer: { type: "string" }, street: { type: "string" } },
  },
  output_schema: { type: "object", required: ["version"], properties: { version: { type: "integer" } } },
};

/** A write without a declared identity: each attempt is its own. */
export const CHARGE_CARD: DeclarationInput = {
  name: "charge_card",
  effect: "write",
  trust_completion: true,
  input_schema: { type: "object", required: ["cents"], properties: { cents: { type: "integer" } } },
  output_schema: { type: "object", required: ["charge"], properties: { charge: { type: "string" } } },
};

export const TOOLS = [REFUND_CARD, PAY_OUT, LOOK_UP, GET_PRICE, SET_ADDRESS, CHARGE_CARD];
