import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { serveStdio } from "#salvor/mcp/server/serve-stdio.js";
import type { AskedCall, CallReply, ServedTools } from "#salvor/mcp/server/served-tools.js";

const OPENING = [
  {
    jsonrpc: "2.0",
    id: "open",
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
];

/** A connection whose every line the test sends and reads itself. */
class Wire implements ServedTools {
  readonly input = new PassThrough();
  readonly asked: AskedCall[] = [];
  /** Whether each answer was said to have left. */
  readonly out: boolean[] = [];
  readonly #lines: Record<string, unknown>[] = [];
  #onLine: () => void = () => undefined;
  /** Whether whatever is written fails. */
  isBroken = false;

  descriptors() {
    return [
      {
        name: "echo",
        description: "Says it again.",
        effect: "write",
        inputSchema: { type: "object" },
      } as const,
    ];
  }

  call(asked: AskedCall): Promise<CallReply> {
    this.asked.push(asked);
    const { input: output } = asked;
    const answered = (isOut: boolean) => {
      this.out.push(isOut);
      this.#onLine();
      return Promise.resolve();
    };
    const at = { run_id: "00000000-0000-4000-8000-000000000001", seq: 1 };
    return Promise.resolve({ kind: "output", at, output, fresh: true, answered });
  }

  resume = (asked: AskedCall) => this.call(asked);
  judgeOutput = () => Promise.resolve([]);
  idle = () => Promise.resolve();

  async open(): Promise<{ readonly closed: Promise<void> }> {
    const connection = await serveStdio(this, {
      input: this.input,
      write: (text, done) => {
        if (this.isBroken) {
          done(new Error("broken pipe"));
          return;
        }
        this.#lines.push(JSON.parse(text) as Record<string, unknown>);
        done();
        this.#onLine();
      },
      advice: { where: "" },
      onError: () => undefined,
    });
    for (const message of OPENING) this.send(message);
    await this.until(() => this.#lines.length > 0);
    this.#lines.length = 0;
    return connection;
  }

  send(message: object | string | Buffer): void {
    const isText = typeof message === "string" || Buffer.isBuffer(message);
    this.input.write(isText ? message : `${JSON.stringify(message)}\n`);
  }

  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onLine = () => {
        if (holds()) resolve();
      };
      this.#onLine();
    });
  }

  /** The next answer. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async answer(): Promise<any> {
    await this.until(() => this.#lines.length > 0);
    return this.#lines.shift();
  }
}

function call(id: number, args: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":${args}}}\n`;
}

describe("a message on standard input", () => {
  const refused: readonly (readonly [what: string, line: string, code: number, said: RegExp])[] = [
    [
      "that holds an amount that would be rounded",
      call(1, '{"cents":9007199254740993}'),
      -32700,
      /9007199254740993/,
    ],
    ["that gives a key twice", call(1, '{"cents":1,"cents":2}'), -32700, /cents/],
    ["with __proto__ as a key", call(1, '{"__proto__":{"to":"me"}}'), -32700, /__proto__/],
    ["that is no JSON", "{nothing\n", -32700, /JSON/],
    ["that is no JSON-RPC", '{"id":4}\n', -32600, /JSON-RPC/],
    ["that is larger than 8 MiB", `"${"x".repeat(8 * 1024 * 1024)}"\n`, -32600, /8388608 bytes/],
  ];
  for (const [what, line, code, said] of refused)
    it(`${what} is refused, and the next one is read`, async () => {
      const wire = new Wire();
      await wire.open();
      wire.send(line);
      const { error } = await wire.answer();
      assert.equal(error.code, code);
      assert.match(error.message, said);
      assert.equal(wire.asked.length, 0);
      wire.send(call(2, '{"a":1.5}'));
      assert.equal((await wire.answer()).id, 2);
      assert.deepEqual(wire.asked[0]?.input, { a: 1.5 });
    });

  it("may come in pieces, many at once, with carriage returns, and with blank lines between", async () => {
    const wire = new Wire();
    await wire.open();
    const bytes = Buffer.from(`\r\n${call(1, '{"who":"Zoë"}')}\n${call(2, "{}").replace("\n", "\r\n")}`);
    for (const byte of bytes) wire.send(Buffer.of(byte));
    assert.deepEqual([(await wire.answer()).id, (await wire.answer()).id], [1, 2]);
    assert.deepEqual(wire.asked[0]?.input, { who: "Zoë" });
  });

  it("with a name that is none is refused before anything is performed", async () => {
    const wire = new Wire();
    await wire.open();
    for (const meta of [
      { "salvor.dev/idempotency-key": "" },
      { "salvor.dev/idempotency-key": 7 },
      { "salvor.dev/run": "17" },
    ]) {
      wire.send({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "echo", arguments: {}, _meta: meta },
      });
      assert.equal((await wire.answer()).result.isError, true);
    }
    assert.equal(wire.asked.length, 0);
  });
});

describe("whether an answer has left", () => {
  it("is told when it was written, and when it could not be", async () => {
    const wire = new Wire();
    await wire.open();
    wire.send(call(1, "{}"));
    await wire.answer();
    await wire.until(() => wire.out.length === 1);
    wire.isBroken = true;
    wire.send(call(2, "{}"));
    await wire.until(() => wire.out.length === 2);
    assert.deepEqual(wire.out, [true, false]);
  });
});

it("a client that closes its end ends the connection", async () => {
  const wire = new Wire();
  const { closed } = await wire.open();
  wire.input.end();
  await closed;
});
