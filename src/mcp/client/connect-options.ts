import type { OnElicitation } from "./elicitation.js";
import type { McpToolsOptions } from "./tool-options.js";
import type { RefusedTool } from "./tool-definition.js";

/** What a host is told of a server, and what it answers it. What a listener throws is ignored. */
export interface McpHost {
  /** Answers what the server asks in the middle of a call; without it, everything is declined. */
  readonly onElicitation?: OnElicitation | undefined;
  readonly onProgress?: ((progress: McpProgress) => void) | undefined;
  /** Told what went wrong and reaches no caller: a tool that is not offered, a listing that failed after a change. */
  readonly onTrouble?: ((trouble: McpTrouble) => void) | undefined;
  /** Told after the server has changed its tools and they were read again. */
  readonly onToolsChanged?:
    ((changed: { readonly server: string; readonly names: readonly string[] }) => void) | undefined;
}

/** How far a call has come, as its server says. */
export interface McpProgress {
  readonly server: string;
  /** The name under which the tool is offered here. */
  readonly tool: string;
  readonly runId?: string | undefined;
  readonly seq?: number | undefined;
  readonly progress: number;
  readonly total?: number | undefined;
  /** The server's own text. */
  readonly message?: string | undefined;
}

export type McpTrouble =
  | ({ readonly kind: "tool_refused"; readonly server: string } & RefusedTool)
  | { readonly kind: "listing"; readonly server: string; readonly problem: string };

interface ConnectOptions extends McpToolsOptions, McpHost {
  /** What the server is called in messages; its command or its URL unless given. */
  readonly name?: string | undefined;
}

/** A server that is started as a program. */
export interface StdioOptions extends ConnectOptions {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables besides the few that are safe to hand on (HOME, LOGNAME, PATH, SHELL, TERM, USER). */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Where it runs; this process's own working directory unless given. */
  readonly cwd?: string | undefined;
}

/** A server that is reached over streamable HTTP. */
export interface HttpOptions extends ConnectOptions {
  readonly url: string | URL;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as `Authorization: Bearer ...`. */
  readonly bearerToken?: string | undefined;
}
