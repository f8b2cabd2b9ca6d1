import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ProxiedAnswer {
  readonly status: number;
  readonly body: string;
}

/** A POST on its way: what becomes of it is the test's to say. */
export interface ProxiedPost {
  readonly path: string;
  /** Sends it on and answers what the server said. */
  forward(): Promise<ProxiedAnswer>;
  /** Gives an answer back. */
  answer(answer: ProxiedAnswer): Promise<void>;
  /** Ends the connection without an answer, as a broken network does. */
  lose(): void;
}

export interface LosingProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** A network between a client and a server: it carries every GET, and does with a POST what `handle` says. */
export async function losingProxy(
  server: string,
  handle: (post: ProxiedPost) => Promise<void>,
): Promise<LosingProxy> {
  const proxy = createServer((request, response) => {
    void carry(server, request, response, handle).catch(() => response.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async close() {
      proxy.close();
      proxy.closeAllConnections();
      await once(proxy, "close");
    },
  };
}

async function carry(
  server: string,
  request: IncomingMessage,
  response: ServerResponse,
  handle: (post: ProxiedPost) => Promise<void>,
): Promise<void> {
  const sent = await text(request);
  const forward = async (): Promise<ProxiedAnswer> => {
    const { authorization, "x-drive-token": driveToken } = request.headers;
    const answer = await fetch(server + (request.url ?? ""), {
      method: request.method ?? "GET",
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(typeof driveToken === "string" && { "x-drive-token": driveToken }),
      },
      ...(sent !== "" && { body: sent }),
    });
    return { status: answer.status, body: await answer.text() };
  };
  const answer = async ({ status, body }: ProxiedAnswer): Promise<void> => {
    response.writeHead(status, { "content-type": "application/json" }).end(body);
    await once(response, "finish");
  };
  if (request.method !== "POST") await answer(await forward());
  else await handle({ path: request.url ?? "", forward, answer, lose: () => response.destroy() });
}
