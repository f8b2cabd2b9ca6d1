/** What the operator declares, and what the server performs itself, as far as the contract's rules depend on it. */
export interface Tool {
  readonly effect: "read" | "idempotent" | "write";
  readonly trusted: boolean;
  /** The input field that identifies a call. */
  readonly key?: string;
  readonly pinned?: string;
  /** The fields that an output has at least; without them no client closes a call. */
  readonly receipt?: readonly string[];
  /** How a call ends that the server performs: only such a tool has it. */
  readonly performs?: "output" | "failure" | "unknown" | "suspension";
}

export const TOOLS: Readonly<Record<string, Tool>> = {
  refund_card: {
    effect: "write",
    trusted: true,
    key: "order_id",
    pinned: "amount_cents",
    receipt: ["refund_id", "amount_cents"],
  },
  pay_out: {
    effect: "write",
    trusted: false,
    pinned: "amount_cents",
    receipt: ["transfer_id", "amount_cents"],
  },
  charge_card: { effect: "write", trusted: true, receipt: ["charge"] },
  set_address: { effect: "idempotent", trusted: true, key: "customer", receipt: ["version"] },
  get_price: { effect: "read", trusted: true, key: "sku", receipt: ["cents"] },
  look_up: { effect: "read", trusted: true },
};

/** Performed by the server. */
export const HOSTED: Readonly<Record<string, Tool>> = {
  send: { effect: "write", trusted: false, performs: "output" },
  pay: { effect: "write", trusted: false, key: "order", performs: "output" },
  look: { effect: "read", trusted: false, performs: "output" },
  set: { effect: "idempotent", trusted: false, key: "order", performs: "output" },
  decline: { effect: "write", trusted: false, key: "order", performs: "failure" },
  vanish: { effect: "write", trusted: false, key: "order", performs: "unknown" },
  ask: { effect: "write", trusted: false, key: "order", performs: "suspension" },
};

export function toolOf(name: string): Tool | undefined {
  const known = { ...TOOLS, ...HOSTED };
  return Object.hasOwn(known, name) ? known[name] : undefined;
}
