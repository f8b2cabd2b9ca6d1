import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../contract/json.js";
import { hasNeverConnected } from "./never-connected.js";
import { NotSent } from "./not-sent.js";

/** What came of a request. */
export type WireAnswer =
  | { readonly kind: "result"; readonly result: JsonValue }
  /** The server refused it. */
  | { readonly kind: "error"; readonly code: number; readonly message: string }
  /** There will be no answer; `sent` unless it is certain that the request never reached the server. */
  | { readonly kind: "broken"; readonly sent: boolean; readonly cause: unknown };

export interface WireRequest {
  readonly method: string;
  readonly params: JsonObject;
  /** For a transport over HTTP. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of the server's `notifications/progress` for this request. */
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
}

interface Pending {
  readonly settle: (answer: WireAnswer) => void;
  readonly onProgress: WireRequest["onProgress"];
}

/**
 * A transport as the SDK's client uses it, on which this package makes requests of its own beside that client. Their answers
 * are taken as they are: the client would hold them to schemas and so refuse a whole listing for one bad tool, drop what it does
 * not know, and never end a request whose stream broke.
 */
export class Wire implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly hasPerRequestStream: boolean;
  readonly #pending = new Map<string, Pending>();
  #next = 1;

  constructor(
    private readonly inner: Transport,
    kind: "stdio" | "http",
  ) {
    this.hasPerRequestStream = inner.hasPerRequestStream ?? false;
    // By these members the client tells a local process, whose silence means another thing than a web server's.
    if (kind === "stdio") Object.assign(this, { stderr: null, pid: null });
  }

  get sessionId(): string | undefined {
    return this.inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion?.(version);
  }

  async start(): Promise<void> {
    this.inner.onmessage = (message, extra) => {
      if (this.#hears(message)) return;
      try {
        this.onmessage?.(message, extra);
      } catch (error) {
        this.onerror?.(error as Error);
      }
    };
    this.inner.onerror = (error) => this.onerror?.(error);
    this.inner.onclose = () => {
      for (const { settle } of this.#pending.values()) {
        settle({ kind: "broken", sent: true, cause: new Error("the connection was closed") });
      }
      this.onclose?.();
    };
    await this.inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.inner.send(message, options);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  /**
   * Asks the server something.
   *
   * @throws the signal's reason once it is aborted; the server is told then.
   */
  async request({ method, params, headers, signal, onProgress }: WireRequest): Promise<WireAnswer> {
    signal?.throwIfAborted();
    const id = `salvor:${this.#next++}`;
    const stream = new AbortController();
    let onAbort: () => void = () => undefined;
    try {
      return await new Promise<WireAnswer>((settle, reject) => {
        this.#pending.set(id, { settle, onProgress });
        const broken = (cause: unknown): void => {
          settle({ kind: "broken", sent: !isNeverSent(cause), cause });
        };
        onAbort = () => {
          void this.#cancel(id);
          reject(signal?.reason as Error);
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        const meta = ownObject(params, "_meta");
        const sent = {
          ...params,
          ...((onProgress !== undefined || meta !== undefined) && {
            _meta: { ...meta, ...(onProgress !== undefined && { progressToken: id }) },
          }),
        };
        const options: TransportSendOptions = {
          headers,
          requestSignal: stream.signal,
          onRequestStreamEnd: () => {
            broken(new Error("the stream ended without an answer"));
          },
        };
        this.inner.send({ jsonrpc: "2.0", id, method, params: sent }, options).catch(broken);
      });
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.#pending.delete(id);
      if (signal?.aborted === true) stream.abort();
    }
  }

  async #cancel(requestId: string): Promise<void> {
    const params = { requestId, reason: "the call was given up" };
    await this.inner
      .send({ jsonrpc: "2.0", method: "notifications/cancelled", params })
      .catch((error: unknown) => this.onerror?.(error as Error));
  }

  /** Takes what concerns a request of ours. */
  #hears(message: unknown): boolean {
    if (!isJsonObject(message)) return false;
    const { id, method, params, error } = message;
    if (method === "notifications/progress" && isJsonObject(params)) {
      const pending = this.#pendingOf(params["progressToken"]);
      try {
        pending?.onProgress?.(params);
      } catch (error) {
        // A host that cannot take it costs nobody the connection.
        this.onerror?.(error as Error);
      }
      return pending !== undefined;
    }
    if (method !== undefined) return false;
    if (typeof id !== "string" || !id.startsWith("salvor:")) return false;
    this.#pendingOf(id)?.settle(
      isJsonObject(error)
        ? { kind: "error", code: Number(error["code"]), message: textOf(error["message"]) }
        : { kind: "result", result: message["result"] ?? null },
    );
    return true;
  }

  #pendingOf(id: JsonValue | undefined): Pending | undefined {
    return typeof id === "string" ? this.#pending.get(id) : undefined;
  }
}

function ownObject(params: JsonObject, key: string): JsonObject | undefined {
  const value = Object.hasOwn(params, key) ? params[key] : undefined;
  return isJsonObject(value) ? value : undefined;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "no message";
}

function isNeverSent(cause: unknown): boolean {
  return cause instanceof NotSent || hasNeverConnected(cause);
}
