import { HandlerError, Tool, type ToolCtx, type ToolHandler } from "salvor";
import {
  PaymentDeclined,
  type PaymentCall,
  type Payments,
  type Payout,
  type PayoutInput,
  type Refund,
  type RefundInput,
} from "./payments.js";

/** Refund a paid order to the card that paid it, in full or in part. */
@Tool("write")
export class RefundCard implements ToolHandler<RefundInput, Refund> {
  constructor(private readonly payments: Payments) {}

  async call(ctx: ToolCtx, input: RefundInput): Promise<Refund> {
    return await definite(this.payments.refund(input, paymentCall(ctx)));
  }
}

/** Pay out to a merchant's bank account. */
@Tool("write")
export class BankPayout implements ToolHandler<PayoutInput, Payout> {
  constructor(private readonly payments: Payments) {}

  async call(ctx: ToolCtx, input: PayoutInput): Promise<Payout> {
    return await definite(this.payments.payOut(input, paymentCall(ctx)));
  }
}

/** The provider is asked under the call's own key: that is what makes a repeat harmless, and a payment findable. */
function paymentCall({ idempotencyKey, signal }: ToolCtx): PaymentCall {
  if (idempotencyKey === undefined)
    throw new HandlerError("nothing was paid: the call has no idempotency key");
  return { idempotencyKey, signal };
}

/** A payment that was declined definitely did not happen. Whatever else goes wrong, it may have. */
async function definite<T>(payment: Promise<T>): Promise<T> {
  try {
    return await payment;
  } catch (cause) {
    if (cause instanceof PaymentDeclined) throw new HandlerError(cause.message, { cause });
    throw cause;
  }
}
