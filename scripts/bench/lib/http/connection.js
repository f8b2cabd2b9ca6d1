import { connect } from "node:net";

/**
 * One kept connection that has one request out at a time. Far cheaper than any client: whoever measures a server with it
 * must not be what is slow.
 */
export class Connection {
  #socket;
  #answered;
  #failed;
  #received = Buffer.alloc(0);

  static open(port) {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => {
        socket.removeListener("error", reject);
        resolve(new Connection(socket));
      });
      socket.once("error", reject);
    });
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on("data", (bytes) => this.#take(bytes));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the server closed the connection")));
  }

  /** Sends a request that is bytes already; answers its status and body. */
  send(bytes) {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.write(bytes);
    });
  }

  /** Sends a request whose answer does not end; resolves once the first event has arrived, and takes no notice of the rest. */
  stream(bytes) {
    return new Promise((resolve, reject) => {
      this.#answered = undefined;
      this.#socket.removeAllListeners("data");
      let begun = "";
      this.#socket.on("data", (more) => {
        if (begun === undefined) return;
        begun += more.latin1Slice();
        if (!begun.includes("data:")) return;
        if (begun.startsWith("HTTP/1.1 200")) resolve();
        else reject(new Error(`a stream was answered with ${begun}`));
        begun = undefined;
      });
      this.#socket.once("close", () => reject(new Error(`a stream was closed: ${begun}`)));
      this.#socket.write(bytes);
    });
  }

  close() {
    this.#socket.destroy();
  }

  #take(bytes) {
    const all = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const head = all.indexOf("\r\n\r\n");
    const length = head < 0 ? undefined : lengthIn(all.latin1Slice(0, head));
    if (length === undefined || all.length < head + 4 + length) {
      this.#received = all;
      return;
    }
    this.#received = Buffer.alloc(0);
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.({ status: Number(all.latin1Slice(9, 12)), body: all.subarray(head + 4) });
  }

  #fail(error) {
    if (this.#answered === undefined) return;
    this.#answered = undefined;
    this.#failed(error);
  }
}

function lengthIn(head) {
  const match = /\r\ncontent-length: *(\d+)/i.exec(head);
  if (match === null) throw new Error(`an answer without a length: ${head}`);
  return Number(match[1]);
}

/** A POST of JSON as bytes. */
export function post(path, body, headers = {}) {
  const text = JSON.stringify(body);
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${more.join("")}` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

/** A GET as bytes. */
export function get(path) {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
}
