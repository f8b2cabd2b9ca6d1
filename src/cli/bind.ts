import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { CliError } from "./cli-error.js";
import type { BindAddress } from "./option-parsers.js";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/**
 * The IP address that a bind address means. A name is looked up here, once, so that what is judged to be loopback is what
 * is bound.
 *
 * @throws {@link CliError} when the name is unknown.
 */
export async function resolveBind({ host, port }: BindAddress): Promise<BindAddress> {
  if (isIP(host) !== 0) return { host, port };
  try {
    return { host: (await lookup(host, { order: "ipv4first" })).address, port };
  } catch (cause) {
    throw new CliError(`--bind names the host ${host}, which has no address here`, {
      next: `salvor serve --bind 127.0.0.1:${port}`,
      cause,
    });
  }
}

/** Whether only this machine can reach an IP address. */
export function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** `127.0.0.1:8080`, `[::1]:8080`. */
export function bindText({ host, port }: BindAddress): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}
