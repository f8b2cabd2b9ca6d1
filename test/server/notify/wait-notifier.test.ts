import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { runSalvor } from "../../support/run-salvor.js";
import { spawnServer } from "../../support/spawn-server.js";
import { SalvorClient } from "#salvor/client/index.js";
import { envelopeOf, type RunEvent } from "#salvor/log/events.js";
import { AppState } from "#salvor/server/index.js";
import { notifyOfWaits } from "#salvor/server/notify/wait-notifier.js";
import { openLowdbStore, type EventStore } from "#salvor/store/index.js";

const SECRET = "a-signing-secret";
const FAST = { everyMs: 5, backoff: { first: 1, most: 10 } };

const STARTED: RunEvent = { kind: "RunStarted", payload: { agent_def_hash: "desk", input: "private" } };
const SUSPENDED: RunEvent = { kind: "Suspended", payload: { reason: "private?", input_schema: {} } };
const PAYOUT: RunEvent = {
  kind: "ToolCallRequested",
  payload: {
    seq: 1,
    tool: "bank_payout",
    input: { amount: "private" },
    effect: "write",
    idempotency_key: "sha256:private",
    performed_by: "client",
  },
};

interface Post {
  readonly id: string;
  readonly body: string;
  readonly signed: boolean;
}

/** A webhook of somebody: what it is told, and what it answers. */
class Receiver {
  readonly posts: Post[] = [];
  readonly #news = new EventEmitter();
  readonly #server = createServer((request, response) => {
    void text(request).then((body) => {
      const header = (name: string) => String(request.headers[name]);
      const signed = `${header("webhook-id")}.${header("webhook-timestamp")}.${body}`;
      const expected = createHmac("sha256", SECRET).update(signed).digest("base64");
      const post = {
        id: header("webhook-id"),
        body,
        signed: header("webhook-signature") === `v1,${expected}`,
      };
      this.posts.push(post);
      response.writeHead(this.answers.shift() ?? 204).end();
      this.#news.emit("post");
    });
  });

  /** The statuses of its next answers; 204 when there is none. */
  readonly answers: number[] = [];

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** Resolves once it was told this. */
  async heard(about: (post: Post) => boolean, times = 1): Promise<void> {
    const enough = () => this.posts.filter(about).length >= times;
    while (!enough()) await once(this.#news, "post");
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const about =
  (run: string) =>
  ({ id }: Post): boolean =>
    id.startsWith(`wait_${run}_`);

describe("a webhook is told that a run waits for a person", () => {
  let dir: string;
  let store: EventStore;
  let receiver: Receiver;
  let url: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "salvor-notify-"));
    store = await openLowdbStore({ dir });
    receiver = new Receiver();
    url = await receiver.listen();
  });
  after(async () => {
    receiver.close();
    await store.close();
    await rm(dir, { recursive: true });
  });

  const notifying = () => notifyOfWaits(new AppState({ store }), { url, secret: SECRET }, FAST);

  async function runOf(...events: readonly RunEvent[]): Promise<string> {
    const run = randomUUID();
    await store.append(
      run,
      [STARTED, ...events].map((event, seq) => envelopeOf(run, seq, "2026-01-01T00:00:00Z", event)),
    );
    return run;
  }

  it("with a signature, and with nothing of what is in the run", async () => {
    const stop = notifying();
    const [suspended, dangling] = [await runOf(SUSPENDED), await runOf(PAYOUT)];
    await Promise.all([receiver.heard(about(suspended)), receiver.heard(about(dangling))]);
    await stop();
    assert.ok(receiver.posts.every(({ signed }) => signed));
    const bodyOf = (run: string) => JSON.parse(receiver.posts.find(about(run))!.body) as { data: unknown };
    const since = "2026-01-01T00:00:00Z";
    assert.deepEqual(bodyOf(suspended), {
      type: "run.waiting",
      timestamp: since,
      data: { run: suspended, seq: 1, status: "suspended", since },
    });
    assert.deepEqual(bodyOf(dangling).data, {
      run: dangling,
      seq: 1,
      status: "needs_reconciliation",
      since,
      tool: "bank_payout",
      effect: "write",
    });
    assert.doesNotMatch(receiver.posts.map(({ body }) => body).join(""), /private/);
  });

  it("once, whoever else tells of the same store, and however often they look", async () => {
    const stops = Array.from({ length: 5 }, notifying);
    const first = await runOf(SUSPENDED);
    await receiver.heard(about(first));
    // Whoever would tell of the first one again would do so before this one.
    const second = await runOf(SUSPENDED);
    await receiver.heard(about(second));
    await Promise.all(stops.map((stop) => stop()));
    assert.equal(receiver.posts.filter(about(first)).length, 1);
    assert.equal(receiver.posts.filter(about(second)).length, 1);
  });

  it("once, also when the store was closed and opened again", async () => {
    const told = [...receiver.posts];
    await store.close();
    store = await openLowdbStore({ dir });
    const stop = notifying();
    const run = await runOf(SUSPENDED);
    await receiver.heard(about(run));
    await stop();
    assert.deepEqual(receiver.posts.slice(0, told.length), told);
    assert.equal(receiver.posts.length, told.length + 1);
  });

  it("again until it is taken, under the same id and with the same bytes", async () => {
    receiver.answers.push(500, 302, 404);
    const stop = notifying();
    const run = await runOf(SUSPENDED);
    await receiver.heard(about(run), 4);
    await stop();
    const posts = receiver.posts.filter(about(run));
    assert.equal(posts.length, 4);
    assert.equal(new Set(posts.map(({ id, body }) => id + body)).size, 1);
  });

  it("and of its next wait as well", async () => {
    const stop = notifying();
    const run = await runOf(SUSPENDED);
    await receiver.heard(about(run));
    const resumed: RunEvent = { kind: "Resumed", payload: { input: null } };
    const more = [resumed, SUSPENDED].map((event, at) =>
      envelopeOf(run, at + 2, "2026-01-01T00:00:01Z", event),
    );
    await store.append(run, more);
    await receiver.heard(about(run), 2);
    await stop();
    assert.deepEqual(
      receiver.posts.filter(about(run)).map(({ id }) => id),
      [`wait_${run}_1`, `wait_${run}_3`],
    );
  });
});

describe("salvor serve --notify-webhook", () => {
  const secretOf = { SALVOR_TEST_HOOK: SECRET };

  it("tells of a wait once, over a restart", async () => {
    const receiver = new Receiver();
    const url = await receiver.listen();
    const dataDir = await mkdtemp(join(tmpdir(), "salvor-notify-"));
    const serve = () =>
      spawnServer({
        args: ["--notify-webhook", url, "--notify-secret", "SALVOR_TEST_HOOK"],
        env: secretOf,
        dataDir,
      });
    const suspend = async (server: { readonly url: string }): Promise<string> => {
      const client = new SalvorClient({ url: server.url });
      const run = randomUUID();
      const { drive_token: driveToken } = await client.openRun({ runId: run });
      const events = [STARTED, SUSPENDED].map((event, seq) =>
        envelopeOf(run, seq, "2026-01-01T00:00:00Z", event),
      );
      await client.appendEvents({ run, driveToken }, events);
      return run;
    };
    let server = await serve();
    try {
      const first = await suspend(server);
      await receiver.heard(about(first));
      await server.said(/told the webhook/);
      await server.kill();
      server = await serve();
      await receiver.heard(about(await suspend(server)));
      assert.equal(receiver.posts.length, 2);
      assert.ok(receiver.posts.every(({ signed }) => signed));
      await server.stop();
      const verified = await runSalvor(["verify", "--data", dataDir]);
      assert.equal(verified.code, 0, verified.stderr);
    } finally {
      await server.stop();
      receiver.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  for (const [what, args, message] of [
    [
      "no secret",
      ["--notify-webhook", "http://127.0.0.1:9/"],
      /sends nothing unsigned.*\nNext: .*--notify-secret VAR/,
    ],
    ["no webhook", ["--notify-secret", "SALVOR_TEST_HOOK"], /no webhook is named/],
    [
      "a secret that is not there",
      ["--notify-webhook", "http://127.0.0.1:9/", "--notify-secret", "SALVOR_TEST_NONE"],
      /SALVOR_TEST_NONE, which is not set/,
    ],
    ["an address that is none", ["--notify-webhook", "hooks.example.com"], /Write an address such as/],
  ] as const)
    it(`refuses to start with ${what}`, async () => {
      const { code, stderr } = await runSalvor(["serve", "--bind", "127.0.0.1:0", ...args], {
        env: secretOf,
      });
      assert.notEqual(code, 0);
      assert.match(stderr, message);
    });
});
