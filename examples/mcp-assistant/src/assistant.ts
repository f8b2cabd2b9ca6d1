import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** What an assistant knows of a server: an entry of `mcpServers` in its configuration. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What a call answered. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  /** The run that the call is recorded in. */
  readonly run: string;
  /** Whether it was answered from the log. */
  readonly isReplayed: boolean;
}

/** A desktop assistant: it starts a server as its configuration says, and its user answers forms. */
export class Assistant {
  readonly #client = new Client(
    { name: "desktop-assistant", version: "1.0.0" },
    { capabilities: { elicitation: { form: {} } } },
  );
  readonly #transport: StdioClientTransport;

  private constructor({ command, args, env }: ServerEntry, user: (question: string) => boolean) {
    this.#transport = new StdioClientTransport({
      command,
      args: [...args],
      env: { ...(process.env as Record<string, string>), ...env },
      stderr: "ignore",
    });
    this.#client.setRequestHandler("elicitation/create", ({ params }) => {
      return { action: "accept" as const, content: { approved: user(params.message) } };
    });
  }

  /** @param user decides what its assistant is asked to show. */
  static async start(server: ServerEntry, user: (question: string) => boolean): Promise<Assistant> {
    const assistant = new Assistant(server, user);
    await assistant.#client.connect(assistant.#transport);
    return assistant;
  }

  /** The tools, each with what the assistant may think of it. */
  async tools(): Promise<readonly string[]> {
    const { tools } = await this.#client.listTools();
    return tools.map(({ name, annotations }) => {
      const hints = Object.entries(annotations ?? {}).filter(([, is]) => is === true);
      return `${name} (${hints.map(([hint]) => hint).join(", ")})`;
    });
  }

  /** @param name what makes this the same call whenever it is asked for again. */
  async call(tool: string, input: Record<string, unknown>, name: string): Promise<Answer> {
    const { content, isError, _meta } = await this.#client.callTool({
      name: tool,
      arguments: input,
      _meta: { "salvor.dev/idempotency-key": name },
    });
    return {
      text: content.map((part) => (part.type === "text" ? part.text : "")).join(""),
      isError: isError === true,
      run: String(_meta?.["salvor.dev/run"]),
      isReplayed: _meta?.["salvor.dev/replayed"] === true,
    };
  }

  /** SIGKILL for the server that this assistant started. */
  killServer(): void {
    process.kill(this.#transport.pid ?? 0, "SIGKILL");
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
