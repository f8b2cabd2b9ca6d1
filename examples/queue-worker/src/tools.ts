import { Tool, type ToolCtx, type ToolHandler } from "salvor";
import type { Payments, Refund, RefundInput } from "./payments.js";

/** Refund a paid order to the card that paid it. */
@Tool("write")
export class RefundCard implements ToolHandler<RefundInput, Refund> {
  constructor(private readonly payments: Payments) {}

  async call({ idempotencyKey = "", signal }: ToolCtx, input: RefundInput): Promise<Refund> {
    return await this.payments.refund(input, idempotencyKey, signal);
  }
}
