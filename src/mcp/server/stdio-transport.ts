import type { JSONRPCMessage, RequestId, Transport } from "@modelcontextprotocol/server";
import type { Readable } from "node:stream";
import { isJsonObject, ownValue, type JsonValue } from "../../contract/json.js";
import { JsonSyntaxError } from "../../log/json-syntax-error.js";
import { parseJson } from "../../log/parse-json.js";
import { LineReader } from "./line-reader.js";
import type { ServerSdk } from "./sdk.js";

/** The longest message that is read, in bytes: what a request over HTTP may have. */
const LONGEST_LINE = 8 * 1024 * 1024;

/** Writes to the client, and says when that has left. */
export type Write = (text: string, done: (error?: Error | null) => void) => void;

/**
 * Speaks the protocol over a pair of streams, one message a line. Unlike the SDK's own it reads JSON without losing anything:
 * an amount is never rounded, and a key that is given twice is refused (docs/http-api.md, "JSON").
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Told of each answer once it is known whether it has left. */
  onanswered?: (id: RequestId, isOut: boolean) => void;
  #isClosed = false;
  readonly #lines = new LineReader(LONGEST_LINE, (line) => {
    this.#read(line);
  });

  constructor(
    private readonly sdk: ServerSdk,
    private readonly input: Readable,
    private readonly write: Write,
  ) {}

  start(): Promise<void> {
    this.input.on("data", this.#onData);
    this.input.on("error", this.#onError);
    for (const event of ["end", "close"] as const) this.input.on(event, this.#onEnd);
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = "method" in message ? undefined : message.id;
    try {
      if (this.#isClosed) throw new Error("the connection is closed");
      await new Promise<void>((resolve, reject) => {
        this.write(`${JSON.stringify(message)}\n`, (error) => {
          if (error) reject(error);
          else resolve();
        });
      });
      if (id !== undefined) this.onanswered?.(id, true);
    } catch (error) {
      if (id !== undefined) this.onanswered?.(id, false);
      throw error;
    }
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#isClosed = true;
    this.input.off("data", this.#onData);
    this.input.pause();
    this.onclose?.();
    return Promise.resolve();
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#lines.push(chunk);
  };

  readonly #onError = (error: Error): void => {
    this.onerror?.(error);
  };

  readonly #onEnd = (): void => {
    void this.close();
  };

  #read(line: Buffer | undefined): void {
    if (line === undefined) {
      this.#refuse(null, -32600, `a message may have ${LONGEST_LINE} bytes at the most`);
      return;
    }
    if (isBlank(line)) return;
    let value: JsonValue;
    try {
      value = parseJson(line);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      this.#refuse(null, -32700, `this is not acceptable JSON: ${error.message}`);
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = this.sdk.parseJSONRPCMessage(value);
    } catch {
      this.#refuse(idIn(value), -32600, "this is not a JSON-RPC 2.0 message");
      return;
    }
    this.onmessage?.(message);
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    const refusal = { jsonrpc: "2.0", id, error: { code, message } };
    this.onerror?.(new Error(message));
    this.write(`${JSON.stringify(refusal)}\n`, () => undefined);
  }
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function idIn(value: JsonValue): string | number | null {
  const id = isJsonObject(value) ? ownValue(value, "id") : undefined;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
