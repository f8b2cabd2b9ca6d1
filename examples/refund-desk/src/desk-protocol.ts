import type { JsonValue } from "salvor";
import type { RefundInput } from "./payments.js";

/** One thing that a desk is told to do. */
export type Step =
  | {
      /** Have a tool perform a call, through `ClientRun`. */
      readonly do: "perform";
      readonly tool: string;
      readonly input: JsonValue;
      /** Stop between the provider's answer and the report, until a line comes on standard input. */
      readonly pauseWhenPaid?: true;
    }
  | {
      /** Refund and report without the tool class, and report something else first than the provider's receipt. */
      readonly do: "refund_by_hand";
      readonly input: RefundInput;
      /** What the first report changes in the receipt; `null` leaves a field out. */
      readonly claim: Readonly<Record<string, string | number | null>>;
    }
  | {
      /** Try to settle the pending call with the desk's own tokens, at either of the endpoints that settle one. */
      readonly do: "settle_myself";
      readonly at: "/v1/runs" | "/v1/client-runs";
      readonly output: JsonValue;
    }
  | {
      /** Wait for a line on standard input. */
      readonly do: "wait";
    }
  | {
      /** End the run. */
      readonly do: "complete";
      readonly output: JsonValue;
    };

/** One line that a desk prints. */
export type DeskLine =
  | {
      readonly at: "opened";
      readonly run: string;
      /** Whether the run was this desk's before: it found its id in its state file. */
      readonly again: boolean;
      /** The first digits of the drive token's SHA-256: the same token has the same ones. */
      readonly token: string;
    }
  | { readonly at: "paid"; readonly key: string }
  | { readonly at: "performed"; readonly tool: string; readonly output: JsonValue }
  /** A step ended in an error of Salvor's; the desk goes on with its next step. */
  | {
      readonly at: "refused";
      readonly error: string;
      readonly code: string;
      readonly status?: number;
      readonly message: string;
      /** The key of the call that it is about, where the error says it. */
      readonly key?: string;
    }
  /** The server let the desk settle its own call. */
  | { readonly at: "settled" }
  | { readonly at: "waiting" }
  | { readonly at: "completed"; readonly token: string };
