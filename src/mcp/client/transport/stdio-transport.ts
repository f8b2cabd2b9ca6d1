import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { ServerProcess } from "../process/server-process.js";
import { TextTail } from "../process/text-tail.js";
import { LineSplitter } from "./line-splitter.js";
import { MAX_MESSAGE_BYTES } from "./limits.js";
import { NotSent } from "./not-sent.js";

/** A program to start as a server. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** How much is kept of what a server writes that is no message, in characters. */
const NOISE_KEPT = 500;

/** JSON-RPC over the standard input and output of a {@link ServerProcess}: a line each. Lines that are no message are skipped. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #noise = new TextTail(NOISE_KEPT);
  #process: ServerProcess | undefined;
  #ended: string | undefined;

  constructor(private readonly program: ServerProgram) {}

  /** @throws `ProcessNotStarted` */
  async start(): Promise<void> {
    const process = await ServerProcess.start(this.program);
    this.#process = process;
    const lines = new LineSplitter(MAX_MESSAGE_BYTES);
    process.output.on("data", (piece: Buffer) => {
      try {
        for (const line of lines.add(piece)) this.#read(line);
      } catch (error) {
        this.onerror?.(error as Error);
        void this.close();
      }
    });
    // A server that answers nothing any more is of no use, even when it lives on.
    process.output.once("end", () => void this.close());
    void process.ended.then((how) => {
      this.#ended = how;
      this.onclose?.();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const process = this.#process;
    if (process === undefined || this.#ended !== undefined) throw new NotSent("the server has ended");
    await new Promise<void>((sent, failed) => {
      process.input.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error == null) sent();
        else failed(error);
      });
    });
  }

  async close(): Promise<void> {
    await this.#process?.close();
  }

  /** What a server has said besides its messages, and how it ended, for the message of an error. */
  get remarks(): string {
    const process = this.#process;
    return [
      this.#ended === undefined ? "" : `it ended (${this.#ended})`,
      process === undefined || process.stderr === "" ? "" : `it wrote on standard error: ${process.stderr}`,
      this.#noise.text === ""
        ? ""
        : `it wrote on standard output, which is for messages: ${this.#noise.text}`,
    ]
      .filter((part) => part !== "")
      .join("; ");
  }

  #read(line: string): void {
    if (line.trim() === "") return;
    const message = parsed(line);
    if (message === undefined) this.#noise.add(`${line.slice(0, NOISE_KEPT)}\n`);
    else this.onmessage?.(message);
  }
}

function parsed(line: string): JSONRPCMessage | undefined {
  try {
    const message: unknown = JSON.parse(line);
    const isMessage =
      typeof message === "object" && message !== null && "jsonrpc" in message && message.jsonrpc === "2.0";
    return isMessage ? (message as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}
