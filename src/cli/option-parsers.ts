import { InvalidArgumentError } from "commander";
import { parseRunId } from "../log/run-id.js";
import { CliError, EXIT } from "./cli-error.js";

/** An address to listen on, as given: a host name or IP address without brackets, and a port (0: any free one). */
export interface BindAddress {
  readonly host: string;
  readonly port: number;
}

const BIND = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<host>[^:[\]\s/@]+)):(?<port>\d{1,5})$/;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Reads `HOST:PORT`, an IPv6 address in brackets. */
export function parseBind(text: string): BindAddress {
  const groups = BIND.exec(text)?.groups;
  const port = Number(groups?.["port"]);
  const host = groups?.["v6"] ?? groups?.["host"];
  if (host === undefined || port > 65_535)
    throw new InvalidArgumentError(
      "Write HOST:PORT, for example 127.0.0.1:8080 or [::1]:8080; port 0 takes any free one.",
    );
  return { host, port };
}

/** Reads `PORT`, of this machine only, or `HOST:PORT`. */
export function parsePort(text: string): BindAddress {
  return parseBind(/^\d{1,5}$/.test(text) ? `127.0.0.1:${text}` : text);
}

/** Reads the address of a server. */
export function parseServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError("Write an address such as http://127.0.0.1:8080.");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new InvalidArgumentError(
      "An address holds no credentials and no query: name the variable that holds the token with --auth-token.",
    );
  return url.href.replace(/\/+$/, "");
}

/** Reads the address of a webhook. */
export function parseWebhookUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError("Write an address such as https://hooks.example.com/salvor.");
  if (url.username !== "" || url.password !== "")
    throw new InvalidArgumentError("An address holds no credentials: what is sent is signed instead.");
  return url.href;
}

/** Reads one origin, as a browser sends it. */
export function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`)
    throw new InvalidArgumentError("Write an origin without a path, for example https://desk.example.com.");
  return url.origin;
}

/** Reads the name of an environment variable. A text that is no name may be a secret, so it is not repeated. */
export function parseVariableName(text: string): string {
  if (VARIABLE.test(text)) return text;
  throw new CliError(
    "--auth-token, --operator-token, --notify-secret and --store-env take the name of an environment variable, not a secret",
    {
      next: "put the secret into a variable and name it, for example --operator-token SALVOR_OPERATOR_TOKEN",
      exitCode: EXIT.usage,
    },
  );
}

/** Reads a whole number of days. */
export function parseDays(text: string): number {
  const days = Number(text);
  if (/^\d{1,5}$/.test(text) && days >= 1) return days;
  throw new InvalidArgumentError("Write a whole number of days from 1 on, for example 90.");
}

/** Reads the id of a run. */
export function parseRunArgument(text: string): string {
  const run = parseRunId(text);
  if (run === undefined)
    throw new InvalidArgumentError("A run id is a UUID such as 00000000-0000-4000-8000-000000000001.");
  return run;
}

/** Reads how many. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count) || count < 1)
    throw new InvalidArgumentError("Write a whole number, 1 or more.");
  return count;
}

/** Reads how many seconds something may take; a timer of Node's takes no more than 24 days. */
export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!/^\d+$/.test(text) || seconds < 1 || seconds > 2_000_000)
    throw new InvalidArgumentError("Write a whole number of seconds, from 1 to 2000000.");
  return seconds;
}

/** Reads a position in a log. */
export function parsePosition(text: string): number {
  const seq = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(seq))
    throw new InvalidArgumentError("Write a position: a whole number, 0 or more.");
  return seq;
}

const DURATION_UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads a length of time such as `90s`, `10m`, `2h` or `1d`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === "") throw new InvalidArgumentError("Write a length of time, for example 90s, 10m, 2h or 1d.");
  return Number(count) * DURATION_UNITS[unit as keyof typeof DURATION_UNITS];
}

/** The budgets that can be extended, and whether they are counted in whole numbers. */
const EXTENSIONS: Readonly<Record<string, boolean>> = {
  steps: true,
  tokens: true,
  cost_usd: false,
  wall_time_seconds: false,
};

/** Reads `KIND=N` and adds it to what was given before. */
export function collectExtension(
  text: string,
  before: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> {
  const [, kind = "", amount = ""] = /^([a-z_]+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const whole = Object.hasOwn(EXTENSIONS, kind) ? EXTENSIONS[kind] : undefined;
  const count = Number(amount);
  if (whole === undefined || !Number.isFinite(count) || (whole && !Number.isSafeInteger(count)))
    throw new InvalidArgumentError(
      "Write KIND=N: steps or tokens with a whole number, cost_usd or wall_time_seconds with a number, for example steps=20.",
    );
  return { ...before, [kind]: count };
}

/** Collects an option that may be given many times. */
export function collecting<T>(
  parse: (text: string) => T,
): (text: string, before?: readonly T[]) => readonly T[] {
  return (text, before = []) => [...before, parse(text)];
}
