import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Fetch } from "#salvor/client/index.js";

/** The places that a program passes, one after another, and at one of which it dies. */
export class KillPoints {
  readonly #file: string;
  readonly #killAt: number | undefined;
  #passed = 0;

  /**
   * @param folder where the places that were passed are written down.
   * @param killAt the number of the place to die at, from 1; never when absent.
   */
  constructor(folder: string, killAt?: number) {
    this.#file = join(folder, "points.txt");
    this.#killAt = killAt;
  }

  /** Passes a place, or dies there: nothing is finished, nothing is said. */
  pass(place: string): void {
    this.#passed += 1;
    appendFileSync(this.#file, `${place}\n`);
    if (this.#passed === this.#killAt) process.kill(process.pid, "SIGKILL");
  }

  /** A `fetch` that passes a place before and after each request that records something. */
  readonly fetch: Fetch = async (url, init) => {
    if (init.method !== "POST") return fetch(url, init);
    const place = placeOf(url, init.body);
    this.pass(`before ${place}`);
    const response = await fetch(url, init);
    // The whole answer is here, and nobody has seen it: what it says is on the server's disk.
    const body = await response.arrayBuffer();
    this.pass(`after ${place}`);
    return new Response(body, response);
  };
}

function placeOf(url: string, body: unknown): string {
  const endpoint = new URL(url).pathname.split("/").at(-1) ?? "";
  const sent: unknown = typeof body === "string" ? JSON.parse(body) : {};
  const seq = (sent as { readonly seq?: number }).seq;
  return seq === undefined ? endpoint : `${endpoint} ${seq}`;
}
