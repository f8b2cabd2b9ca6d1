import type { Secrets } from "../secrets.js";
import { boundedFetch } from "./bounded-fetch.js";
import type { StreamWatch } from "./stream-watch.js";

/** A server sends its callers elsewhere; what was sent to it may have had its effect all the same. */
export class Redirected extends Error {
  override readonly name = "Redirected";
}

/** The longest text of a refusal that is read, in characters. */
const MOST_TEXT = 64 * 1024;

/**
 * `fetch` for the messages to one server. Each is sent once: neither a redirect nor a status that lets a client try again (421, RFC
 * 9110) has it sent a second time, for a server may have acted before it answered so. What a refusal says comes back without the
 * secrets that the server was sent, and with an end.
 */
export function serverFetch(secrets: Secrets, streams: Pick<StreamWatch, "watched">): typeof boundedFetch {
  return async (url, init) => {
    const asking = boundedFetch(url, { ...init, ...(init && sentOnce(init)), redirect: "manual" });
    const response = await (init?.method === "GET" ? streams.watched(asking) : asking);
    if (response.ok) return response;
    if (REDIRECTS.has(response.status)) {
      await response.body?.cancel();
      throw new Redirected(
        `the server answers with a redirect to ${targetOf(response, url)} (status ${response.status}), which is not followed: ` +
          "configure that address if it is the server that is meant",
      );
    }
    const text = secrets.hide((await response.text()).slice(0, MOST_TEXT + secrets.longest));
    const { status, headers } = response;
    const statusText = secrets.hide(response.statusText);
    return new Response(BODILESS.has(status) ? null : text.slice(0, MOST_TEXT), {
      status,
      statusText,
      headers,
    });
  };
}

const REDIRECTS: ReadonlySet<number> = new Set([300, 301, 302, 303, 305, 307, 308]);
const BODILESS: ReadonlySet<number> = new Set([304]);

/** A body that was read cannot be sent again, whatever `fetch` would do. */
function sentOnce({ body, headers }: RequestInit): RequestInit {
  if (typeof body !== "string") return {};
  const bytes = new TextEncoder().encode(body);
  const all = new Headers(headers);
  all.set("content-length", String(bytes.length));
  return { body: new Blob([bytes]).stream(), duplex: "half", headers: all };
}

/** Where a redirect leads, without what may be a secret. */
function targetOf(response: Response, from: string | URL): string {
  const location = response.headers.get("location") ?? "";
  if (location === "" || !URL.canParse(location, String(from))) return "nowhere that can be read";
  const { protocol, host, pathname } = new URL(location, from);
  return `${protocol}//${host}${pathname}`.slice(0, 500);
}
