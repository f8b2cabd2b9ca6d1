import type { JsonValue } from "../contract/json.js";
import type { CallOptions, Drive, SalvorClientOptions } from "./client-options.js";
import { checkToken, transportOf } from "./client-settings.js";
import { bodyText } from "./json-text.js";
import { clientRunPath, runPath } from "./paths.js";
import { send, type TransportSettings, type WireRequest } from "./transport.js";

type Reader<T> = (body: JsonValue) => T;

/** How requests of each kind are sent: with which token, and whether again when their answer was lost. */
export class WireClient {
  protected readonly settings: TransportSettings;
  protected readonly token: string | undefined;
  readonly #operatorToken: string | undefined;

  /** @throws TypeError when the url is none of a server, or a token is none that a header can carry. */
  constructor(options: SalvorClientOptions) {
    checkToken("token", options.token);
    checkToken("operatorToken", options.operatorToken);
    this.token = options.token ?? options.operatorToken;
    this.#operatorToken = options.operatorToken ?? options.token;
    this.settings = transportOf(options);
  }

  protected async get<T>(path: string, read: Reader<T>, options?: CallOptions): Promise<T> {
    const { signal } = options ?? {};
    return this.send({ method: "GET", path, bearer: this.token, repeatable: true, read, signal });
  }

  protected async send<T>(request: WireRequest<T>): Promise<T> {
    return send(request, this.settings);
  }

  /** What a driver says, which the server recognises when it is said twice. */
  protected async drive<T>(
    drive: Drive,
    verb: string,
    body: string,
    read: Reader<T>,
    options?: CallOptions & { readonly timeoutMs?: number },
  ): Promise<T> {
    return this.send(this.driving(drive, verb, body, read, options));
  }

  protected driving<T>(
    { run, driveToken }: Drive,
    verb: string,
    body: string,
    read: Reader<T>,
    { signal, timeoutMs }: CallOptions & { readonly timeoutMs?: number } = {},
  ): WireRequest<T> {
    const path = `${clientRunPath(run)}/${verb}`;
    return {
      method: "POST",
      path,
      body,
      bearer: this.token,
      driveToken,
      repeatable: true,
      read,
      signal,
      timeoutMs,
    };
  }

  /** What a person decides, which is never said twice by itself. */
  protected async decide<T>(
    target: string | Drive,
    verb: string,
    decision: object,
    read: Reader<T>,
    options?: CallOptions,
  ): Promise<T> {
    const isDriver = typeof target !== "string";
    return this.send({
      method: "POST",
      path: `${isDriver ? clientRunPath(target.run) : runPath(target)}/${verb}`,
      body: bodyText(decision, "the decision"),
      bearer: this.#operatorToken,
      ...(isDriver && { driveToken: target.driveToken }),
      repeatable: false,
      read,
      signal: options?.signal,
    });
  }
}
