import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { STORIES } from "./stories.js";

/** Many clients at once, each of which lives through one story after the other. */
export class Clients {
  /** How often each story was lived through. */
  done = Object.fromEntries(Object.keys(STORIES).map((name) => [name, 0]));
  /** Answers that no story expects; the first few of them. */
  problems = [];
  requests = 0;
  runs = 0;
  #url;
  #count;
  #agent = newAgent();
  #streams = new Set();
  #turn = 0;

  constructor(url, count) {
    this.#url = new URL(url);
    this.#count = count;
  }

  /** Lives through stories for so long, and finishes those that were begun. */
  async work(ms) {
    const until = performance.now() + ms;
    await Promise.all(
      Array.from({ length: this.#count }, async () => {
        while (performance.now() < until) await this.#story();
      }),
    );
  }

  /** Closes every connection. */
  hangUp() {
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
    this.#agent.destroy();
    this.#agent = newAgent();
  }

  async #story() {
    const names = Object.keys(STORIES);
    const name = names[this.#turn++ % names.length];
    try {
      await STORIES[name](this);
      this.done[name] += 1;
    } catch (error) {
      if (this.problems.length < 20) this.problems.push(`${name}: ${error.message}`);
      // A server that is gone is not asked thousands of times.
      await pause(100);
    }
  }

  /** Asks; answers the JSON, and throws when the status is not one of those that are expected. */
  async ask(method, path, { body, token, expect = [200, 201] } = {}) {
    this.requests += 1;
    const { status, text } = await this.#send(method, path, body, token);
    if (!expect.includes(status))
      throw new Error(`${method} ${path} was answered with ${status}: ${text.slice(0, 300)}`);
    return text.startsWith("{") ? JSON.parse(text) : text;
  }

  /** Opens a stream of events, and drops it after so many pieces. */
  async listen(path, pieces) {
    this.requests += 1;
    return new Promise((resolve, reject) => {
      let left = pieces;
      const asked = request({ host: this.#url.hostname, port: this.#url.port, path }, (answer) => {
        answer.on("data", () => {
          left -= 1;
          if (left <= 0) asked.destroy();
        });
        answer.on("error", () => undefined);
        answer.on("close", () => {
          this.#streams.delete(asked);
          if (answer.statusCode === 200) resolve();
          else reject(new Error(`GET ${path} was answered with ${answer.statusCode}`));
        });
      });
      asked.on("error", resolve);
      this.#streams.add(asked);
      asked.end();
    });
  }

  #send(method, path, body, token) {
    const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
    const headers = { "content-length": Buffer.byteLength(text), ...(token && { "x-drive-token": token }) };
    const to = { host: this.#url.hostname, port: this.#url.port, method, path, headers, agent: this.#agent };
    return new Promise((resolve, reject) => {
      const asked = request(to, (answer) => {
        let all = "";
        answer.setEncoding("utf8").on("data", (piece) => (all += piece));
        answer.on("end", () => resolve({ status: answer.statusCode, text: all }));
        answer.on("error", reject);
      });
      asked.on("error", reject);
      asked.end(text);
    });
  }
}

function newAgent() {
  return new Agent({ keepAlive: true });
}
