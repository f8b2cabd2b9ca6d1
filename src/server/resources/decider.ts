import type { AppState } from "../app-state.js";
import type { Decider } from "../calls/resolve.js";
import type { AppContext } from "../context.js";

/** Who decides in this request. */
export function deciderOf(state: AppState, ctx: AppContext): Decider {
  return {
    operatorConfigured: state.operatorTokenHash !== undefined,
    operatorPresented: ctx.state.operatorPresented,
  };
}
