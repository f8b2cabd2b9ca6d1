import type { SalvorClientOptions } from "./client-options.js";
import type { TransportSettings } from "./transport.js";

/**
 * How a client reaches its server, with what is assumed where its options say nothing.
 *
 * @throws TypeError when the url is none of a server.
 */
export function transportOf(options: SalvorClientOptions): TransportSettings {
  return {
    url: baseOf(options.url),
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    timeoutMs: options.timeoutMs ?? 30_000,
    retries: options.retries ?? 4,
    random: Math.random,
  };
}

/** Where requests go: the url without a slash at its end, its path kept. */
function baseOf(url: string): string {
  const { protocol, origin, pathname, username, password } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") {
    throw new TypeError(`the url of a Salvor server starts with http:// or https://, not with ${protocol}`);
  }
  if (username !== "" || password !== "") {
    throw new TypeError("the url of a Salvor server holds no secret: give it as token");
  }
  return origin + pathname.replace(/\/+$/, "");
}

/** @throws TypeError, without the token in it, when no header could carry the token. */
export function checkToken(name: string, token: string | undefined): void {
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return;
  const found = token === "" ? "empty" : "not made of visible ASCII characters";
  throw new TypeError(`${name} is ${found}; leave it out where the server has none`);
}
