import type { HttpOptions } from "./connect-options.js";

/** @throws TypeError when it is no URL of a web server, or holds a password: that belongs into a header. */
export function httpUrl(url: string | URL): URL {
  const parsed = URL.canParse(String(url)) ? new URL(String(url)) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError(`${shown(String(url))} is no URL of an MCP server: write http://... or https://...`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new TypeError("the URL of an MCP server holds a user or a password: use headers or bearerToken");
  }
  return parsed;
}

/** @throws TypeError when a header is none. */
export function httpHeaders({ headers = {}, bearerToken }: HttpOptions): Readonly<Record<string, string>> {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) setHeader(all, name, value);
  if (bearerToken !== undefined) setHeader(all, "authorization", `Bearer ${bearerToken}`);
  return Object.fromEntries(all);
}

function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    // Its message would hold the value, which may be a secret.
    throw new TypeError(`the header ${JSON.stringify(name)} or its value is none that HTTP can carry`);
  }
}

/** An address as somebody wrote it, without the parts in which a secret may stand. */
function shown(address: string): string {
  return JSON.stringify(address.replace(/[?#].*$/s, "?…").replace(/\/\/.*@/s, "//…@"));
}
