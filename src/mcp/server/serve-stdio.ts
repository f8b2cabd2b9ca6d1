import type { RequestId } from "@modelcontextprotocol/server";
import type { Readable } from "node:stream";
import { ServerMaker } from "./create-server.js";
import { loadSdk } from "./sdk.js";
import type { ServedTools } from "./served-tools.js";
import { StdioTransport, type Write } from "./stdio-transport.js";
import type { Advice } from "./tool-result.js";

export interface StdioOptions {
  readonly input: Readable;
  readonly write: Write;
  readonly advice: Advice;
  /** Told what went wrong and reaches no client. */
  readonly onError: (error: unknown) => void;
}

/** A connection over standard input and output. */
export interface StdioConnection {
  /** Resolves when the client has closed it, or it was closed here. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves tools to the one client at the other end of a pair of streams, in whichever revision of the protocol it speaks. */
export async function serveStdio(
  served: ServedTools,
  { input, write, advice, onError }: StdioOptions,
): Promise<StdioConnection> {
  const [sdk, entry] = await Promise.all([loadSdk(), import("@modelcontextprotocol/server/stdio")]);
  const maker = new ServerMaker(sdk, served, advice, onError);
  const transport = new StdioTransport(sdk, input, write);
  const answers = new Map<RequestId, (isOut: boolean) => Promise<void>>();
  const know = (id: RequestId, isOut: boolean): void => {
    const answered = answers.get(id);
    answers.delete(id);
    answered?.(isOut).catch(onError);
  };
  transport.onanswered = know;
  let close: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const face = {
    whenAnswered: ({ mcpReq: { id, signal } }, answered) => {
      // A request that is given up gets no answer, and neither does one whose connection is closed.
      const onAbort = (): void => {
        know(id, false);
      };
      answers.set(id, (isOut) => {
        signal.removeEventListener("abort", onAbort);
        return answered(isOut);
      });
      signal.addEventListener("abort", onAbort, { once: true });
    },
    // Whoever starts the process is its operator.
    mayDecide: () => true,
  } satisfies Parameters<ServerMaker["make"]>[0];
  const handle = entry.serveStdio(() => maker.make(face), { transport, onerror: onError });
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    close();
  };
  return { closed, close: () => handle.close() };
}
