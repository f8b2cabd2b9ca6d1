import { appendFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { Refund, RefundInput } from "./payments.js";

/** A line of the provider's ledger: a refund that was made. */
export interface LedgerLine {
  readonly key: string;
  readonly refund: RefundInput;
  readonly receipt: Refund;
}

/** Where a refund is: asked for, or made and not answered yet. */
export type Moment = "asked" | "paid";

/** The payment provider. It pays every refund that it is asked for: that none is made twice is not its doing. */
export class Provider {
  readonly ledger: LedgerLine[] = [];
  readonly #void = new Set<string>();
  readonly #file: string;
  readonly #passing: (moment: Moment) => Promise<boolean>;
  readonly #server: Server;

  /**
   * @param file where the ledger is kept.
   * @param passing is told where each refund is; the request goes no further when it answers false.
   */
  constructor(file: string, passing: (moment: Moment) => Promise<boolean>) {
    this.#file = file;
    this.#passing = passing;
    this.#server = createServer((request, response) => {
      this.#answer(request).then(
        (body) => {
          if (body === undefined) response.destroy();
          else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
        },
        (error: unknown) => response.writeHead(409).end(String(error)),
      );
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage): Promise<object | undefined> {
    const key = String(request.headers["idempotency-key"]);
    if (request.url === "/settle") return this.#settle(key);
    const refund = (await json(request)) as RefundInput;
    if (!(await this.#passing("asked"))) return undefined;
    if (this.#void.has(key)) throw new Error("the key is void");
    const receipt = { refund_id: `re_${this.ledger.length + 1}`, amount_cents: refund.amount_cents };
    const line = { key, refund, receipt };
    this.ledger.push(line);
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
    return (await this.#passing("paid")) ? receipt : undefined;
  }

  #settle(key: string): { readonly refund?: Refund } {
    const paid = this.ledger.find((line) => line.key === key);
    if (paid !== undefined) return { refund: paid.receipt };
    this.#void.add(key);
    return {};
  }
}
