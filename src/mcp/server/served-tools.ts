import type { JsonSchema, JsonValue } from "../../contract/json.js";
import type { FailureOutput } from "../../contract/reserved.js";
import type { ToolDescriptor } from "../../contract/tool-set.js";
import type { Violation } from "../../contract/validator.js";
import type { CallPosition } from "../../log/events.js";

/** The tools that an MCP server offers, and the only way to have one of them performed. */
export interface ServedTools {
  /** Sorted by name. */
  descriptors(): readonly ToolDescriptor[];

  /**
   * Performs a call and has it recorded, or answers what is recorded of it.
   *
   * @throws the reason of `asked.signal` when the call was given up and nothing else is to be said of it.
   */
  call(asked: AskedCall): Promise<CallReply>;

  /**
   * Answers a suspended call with a person's input, and asks for it again.
   *
   * @param run the run that waits; that it waits in this very call is checked.
   */
  resume(asked: AskedCall, run: string, input: JsonValue): Promise<CallReply>;

  /** What is wrong with an output that was not judged when it was recorded, as that of a tool; empty when nothing is. */
  judgeOutput(tool: string, output: JsonValue): Promise<readonly Violation[]>;

  /** Resolves when it is known of every answer whether it has left, and what follows from that is recorded. */
  idle(): Promise<void>;
}

/** A call as an MCP client asks for it. */
export interface AskedCall {
  readonly tool: string;
  readonly input: JsonValue;
  /** The name that the client gives the call: asked for again under it, the call is not performed again. */
  readonly key?: string | undefined;
  /** The run whose call is asked for. */
  readonly run?: string | undefined;
  /** Which client asks, as it calls itself: for the record. */
  readonly client?: string | undefined;
  /** Gives the call up. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
}

/** What a tool says while it works. */
export interface CallProgress {
  readonly message: string;
  /** How far it is, and of how much, where the tool says so. */
  readonly progress?: number;
  readonly total?: number;
}

/** How a call stands that was asked for. */
export type CallReply =
  | {
      readonly kind: "output";
      readonly at: CallPosition;
      readonly output: JsonValue;
      /** Whether it was performed for this very request; else it is what was recorded before, or said by a person. */
      readonly fresh: boolean;
      /** The call whose answer was copied. */
      readonly deduplicatedFrom?: CallPosition;
      /** To be told whether the answer has left for the client, as far as this server can see. */
      readonly answered: (isOut: boolean) => Promise<void>;
    }
  | {
      readonly kind: "failed";
      readonly at: CallPosition;
      readonly failure: FailureOutput["__salvor_error"];
    }
  | {
      readonly kind: "suspended";
      readonly at: CallPosition;
      readonly reason: string;
      readonly inputSchema: JsonSchema;
    }
  /** A `write` that began and has no recorded end. */
  | {
      readonly kind: "unknown";
      readonly at: CallPosition;
      readonly key: string | null;
      /** What is known of it all the same. */
      readonly note?: string;
    }
  /** The same call is being performed for somebody else. */
  | { readonly kind: "underway"; readonly at: CallPosition }
  /** Nothing was performed, and nothing is recorded of it. */
  | {
      readonly kind: "refused";
      readonly code: string;
      readonly message: string;
      readonly violations?: readonly Violation[];
    };
