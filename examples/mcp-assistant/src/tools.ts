// What `salvor mcp --tools dist/tools.js` serves: a module that exports a tool set.
import { appendFileSync } from "node:fs";
import { suspend, Tool, ToolSet, type ToolCtx, type ToolHandler } from "salvor";
import schemas from "./tools.schemas.json" with { type: "json" };

interface OrderInput {
  /** @minLength 1 */
  order_id: string;
}

interface Order {
  paid_cents: number;
}

interface RefundInput {
  /** @minLength 1 */
  order_id: string;
  /** @integer @minimum 1 */
  amount_cents: number;
}

interface Refund {
  refund_id: string;
  amount_cents: number;
}

interface Approval {
  approved: boolean;
}

/** Look up what was paid for an order. */
@Tool("read")
class FindOrder implements ToolHandler<OrderInput, Order> {
  call(_ctx: ToolCtx, { order_id }: OrderInput): Order {
    return { paid_cents: order_id.length * 1_000 };
  }
}

/** Refund a paid order to the card that paid it. */
@Tool("write")
class RefundCard implements ToolHandler<RefundInput, Refund> {
  async call({ idempotencyKey }: ToolCtx, { order_id, amount_cents }: RefundInput): Promise<Refund> {
    // The provider, here a file: from this line on, the money has moved.
    appendFileSync(process.env["LEDGER"] ?? "", `${order_id} ${amount_cents} ${String(idempotencyKey)}\n`);
    // One order's answer never comes: the story kills the server while it waits.
    if (order_id === "A-13") await new Promise(() => undefined);
    return { refund_id: `re_${order_id}`, amount_cents };
  }
}

/** Ask the user of the assistant whether an order may be refunded. */
@Tool("read")
class ApproveRefund implements ToolHandler<RefundInput, Approval> {
  call(_ctx: ToolCtx, { order_id, amount_cents }: RefundInput) {
    return suspend(`Refund ${amount_cents} cents for ${order_id}?`, {
      type: "object",
      required: ["approved"],
      properties: { approved: { type: "boolean" } },
    });
  }
}

export const tools = new ToolSet(schemas)
  .register(new FindOrder())
  .register(new RefundCard())
  .register(new ApproveRefund());
