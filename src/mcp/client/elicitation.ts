import type { JsonObject, JsonValue } from "../../contract/json.js";

/** What a server asks for in the middle of a call. */
export interface Elicitation {
  /** The name that the host gave the server. */
  readonly server: string;
  /** What the server wants to know, in its words. */
  readonly message: string;
  /** What an answer has to look like, as the server says. */
  readonly requestedSchema: JsonObject;
  /** The server's tools that are being called: the protocol does not say which of them asks. */
  readonly openCalls: readonly string[];
}

/** What a host answers. */
export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, JsonValue>> }
  | { readonly action: "decline" | "cancel" };

/** Answers what a server asks in the middle of a call, while the call waits. */
export type OnElicitation = (
  asked: Elicitation,
  signal: AbortSignal,
) => ElicitationAnswer | Promise<ElicitationAnswer>;
