/** What a scripted MCP server does. */
export interface Scenario {
  /** Listed as they stand here. */
  readonly tools: readonly unknown[];
  /** What each tool does at its first, second, ... call (counted over all processes, by the journal); the last stands for the rest. */
  readonly calls?: Readonly<Record<string, readonly Behaviour[]>>;
  /** A file for a line of JSON of everything that it was asked. */
  readonly journal?: string;
  /** Speaks the revision of 2026-07-28. */
  readonly modern?: boolean;
  /** Writes lines on standard output that are no messages. */
  readonly noise?: boolean;
  readonly stderr?: string;
  /** Ends as soon as it starts. */
  readonly dies?: boolean;
  /** Ends when it is asked for what the revision of 2026-07-28 has. */
  readonly exitsOnProbe?: boolean;
  /** Its list has always another page: with the same tools again, or with none. */
  readonly endless?: "same" | "fresh";
  /** Heeds neither the end of its input nor SIGTERM, and starts two processes that do not either: one in a session of its own. */
  readonly stubborn?: boolean;
}

export type Behaviour =
  /** Answers what it was called with, as a text. */
  | { readonly does: "tell" }
  | { readonly does: "answer"; readonly result: unknown }
  | { readonly does: "refuse"; readonly error: { readonly code: number; readonly message: string } }
  /** Ends the server, with no answer. */
  | { readonly does: "exit" }
  | { readonly does: "hang" }
  /** Never gets to anything else again. */
  | { readonly does: "block" }
  | { readonly does: "progress" }
  /** Asks with `elicitation/create`, and answers what it was told. */
  | { readonly does: "ask"; readonly params: unknown }
  /** Has other tools from then on. */
  | { readonly does: "change"; readonly tools: readonly unknown[] };
