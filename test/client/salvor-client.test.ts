import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import {
  BadRequestError,
  CompletionRefusedError,
  DivergenceError,
  InvalidDriveTokenError,
  OperatorRequiredError,
  SalvorClient,
  TransportError,
  UnauthorizedError,
  UnavailableError,
  UnexpectedAnswerError,
  UnknownRunError,
  UnknownToolError,
  WrongStateError,
  type Drive,
} from "#salvor/client/index.js";
import type { JsonValue } from "#salvor/contract/json.js";
import { hashValue } from "#salvor/log/canonical-json.js";
import { envelopeOf } from "#salvor/log/events.js";
import { attemptKey } from "#salvor/log/keys.js";
import { caught } from "./support/caught.js";
import { TestServer } from "./support/server.js";
import { ALL, REFUND_CARD } from "./support/tools.js";

const ASK = { order_id: "o-1", amount_cents: 500 };
const PAID = { refund_id: "re_1", amount_cents: 500 };
const TOKENS = { clientToken: "client-secret", operatorToken: "operator-secret" };

describe("SalvorClient", () => {
  let server: TestServer;
  let client: SalvorClient;
  let operator: SalvorClient;

  before(async () => {
    server = await TestServer.start(ALL, TOKENS);
    client = new SalvorClient({ url: `${server.url}/`, token: TOKENS.clientToken });
    operator = new SalvorClient({ url: server.url, operatorToken: TOKENS.operatorToken });
  });
  after(() => server.remove());

  async function started(input: JsonValue = null): Promise<Drive> {
    const { run, drive_token } = await client.openRun();
    const drive = { run, driveToken: drive_token };
    const payload = { agent_def_hash: "t", input, labels: { desk: "north" } };
    await client.appendEvents(drive, [envelopeOf(run, 0, "", { kind: "RunStarted", payload })]);
    return drive;
  }

  it("lists what the operator declared, sorted by name", async () => {
    const tools = await client.clientTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ["find_order", "pay_out", "refund_card", "reserve", "wire_out"],
    );
    assert.deepEqual(tools[2]?.input_schema, REFUND_CARD.input_schema);
  });

  it("asks what the server can do and whether it is well, and needs no token for the latter", async () => {
    const { capabilities, server: about } = await client.capabilities();
    assert.equal(capabilities.client_runs, true);
    assert.match(about.version, /^\d+\.\d+\.\d+/);
    const stranger = new SalvorClient({ url: server.url });
    assert.equal(await stranger.healthy(), true);
    assert.equal(await stranger.ready(), true);
    await assert.rejects(stranger.capabilities(), UnauthorizedError);
  });

  it("opens a run, and takes one over: the token before it no longer drives", async () => {
    const runId = crypto.randomUUID();
    const first = await client.openRun({ runId, agent: { name: "desk" }, input: 1 });
    assert.deepEqual([first.run, first.fresh, first.log], [runId, true, []]);
    const second = await client.openRun({ runId: runId.toUpperCase() });
    assert.deepEqual([second.run, second.fresh], [runId, false]);
    await assert.rejects(
      client.toolIntent(
        { run: runId, driveToken: first.drive_token },
        { seq: 0, tool: "pay_out", input: ASK },
      ),
      InvalidDriveTokenError,
    );
  });

  it("carries a u64 both ways to the last digit", async () => {
    const drive = await started();
    const values = [2n ** 64n - 1n, 9007199254740993n, 7n];
    const events = values.map((value, at) =>
      envelopeOf(drive.run, at + 1, "", { kind: "RandomObserved", payload: { value } }),
    );
    assert.deepEqual(await client.appendEvents(drive, events), [1, 2, 3]);
    const log = await client.log(drive.run, 1);
    assert.deepEqual(
      log.map(({ event }) => event.payload),
      values.map((value) => ({ value })),
    );
  });

  it("reads back a value that is nested as deep as a request may be", async () => {
    let input: JsonValue = "bottom";
    for (let depth = 0; depth < 118; depth += 1) input = [input];
    const drive = await started(input);
    const [first] = await client.log(drive.run);
    assert.deepEqual((first?.event.payload as { input: JsonValue }).input, input);
  });

  it("opens a call under the derived key and closes it; both may be sent again", async () => {
    const drive = await started();
    const ask = { seq: 1, tool: "pay_out", input: ASK };
    const intent = await client.toolIntent(drive, ask);
    assert.deepEqual(intent, {
      seq: 1,
      idempotency_key: attemptKey(drive.run, 1, "pay_out"),
      effect: "write",
      settled: false,
    });
    assert.equal(await client.toolCompletion(drive, 1, { output: PAID }), 1);
    assert.equal(await client.toolCompletion(drive, 1, { output: PAID }), 1);
    assert.deepEqual(await client.toolIntent(drive, ask), { ...intent, settled: true, output: PAID });
  });

  it("says which rule an intent breaks", async () => {
    const drive = await started();
    const input = { order_id: 7, amount_cents: "x" };
    const bad = await caught(client.toolIntent(drive, { seq: 1, tool: "pay_out", input }), BadRequestError);
    assert.deepEqual(bad.violations.map(({ path }) => path).sort(), ["$.amount_cents", "$.order_id"]);
    assert.deepEqual([bad.code, bad.status], ["bad_request", 400]);
    const unknown = client.toolIntent(drive, { seq: 1, tool: "pay_in", input: ASK });
    await assert.rejects(unknown, UnknownToolError);
    await assert.rejects(client.toolIntent(drive, { seq: 2, tool: "pay_out", input: ASK }), DivergenceError);
    const stranger = { run: crypto.randomUUID(), driveToken: drive.driveToken };
    await assert.rejects(
      client.toolIntent(stranger, { seq: 0, tool: "pay_out", input: ASK }),
      UnknownRunError,
    );
  });

  it("says what is wrong with a report, and what it said", async () => {
    const drive = await started();
    await client.toolIntent(drive, { seq: 1, tool: "refund_card", input: ASK });
    const short = await caught(
      client.toolCompletion(drive, 1, { output: { amount_cents: 500 } }),
      CompletionRefusedError,
    );
    assert.deepEqual([short.status, short.code, short.seq], [400, "bad_request", 1]);
    assert.deepEqual(short.output, { amount_cents: 500 });
    assert.match(JSON.stringify(short.violations), /refund_id/);
    const other = client.toolCompletion(drive, 1, { output: { ...PAID, amount_cents: 1 } });
    const refused = await caught(other, CompletionRefusedError);
    assert.deepEqual([refused.status, refused.code], [403, "client_completion_refused"]);
    assert.match(refused.message, /require_equal/);
    assert.equal(await client.toolCompletion(drive, 1, { output: PAID }), 1);
    const late = client.toolCompletion(drive, 1, { output: { ...PAID, refund_id: "re_2" } });
    await assert.rejects(late, DivergenceError);
  });

  it("reports a failure and a suspension", async () => {
    const drive = await started();
    await client.toolIntent(drive, { seq: 1, tool: "pay_out", input: ASK });
    await client.toolCompletion(drive, 1, { error: { message: "no funds" } });
    await client.toolIntent(drive, { seq: 3, tool: "pay_out", input: ASK });
    await client.toolCompletion(drive, 3, { suspend: { reason: "ask Ann", input_schema: true } });
    const { status } = await client.run(drive.run);
    assert.deepEqual(status, { state: "suspended", reason: "ask Ann", input_schema: true });
  });

  it("opens a model call by the hash of its request and closes it; both may be sent again", async () => {
    const { run, drive_token } = await client.openRun({ recordPrompts: true });
    const drive = { run, driveToken: drive_token };
    const payload = { agent_def_hash: "t", input: null };
    await client.appendEvents(drive, [envelopeOf(run, 0, "", { kind: "RunStarted", payload })]);
    const request = { prompt: "hello", n: 1 };
    const ask = { seq: 1, requestHash: hashValue(request), requestBody: request };
    const reply = { response: ["hi"], usage: { input_tokens: 1, output_tokens: 2 } };
    assert.deepEqual(await client.modelIntent(drive, ask), { seq: 1, settled: false });
    assert.equal(await client.modelCompletion(drive, 1, reply), 1);
    assert.equal(await client.modelCompletion(drive, 1, reply), 1);
    assert.deepEqual(await client.modelIntent(drive, ask), { seq: 1, settled: true, ...reply });
    const [intent] = await client.log(run, 1);
    assert.deepEqual(intent?.event.payload, {
      seq: 1,
      request_hash: ask.requestHash,
      request_body: request,
      performed_by: "client",
    });
    await assert.rejects(client.modelIntent(drive, { seq: 1, requestHash: "other" }), DivergenceError);
    await assert.rejects(client.modelCompletion(drive, 1, { ...reply, response: [] }), DivergenceError);
  });

  it("leaves a call that only a person closes to the operator's token", async () => {
    const drive = await started();
    await client.toolIntent(drive, { seq: 1, tool: "wire_out", input: ASK });
    await assert.rejects(client.toolCompletion(drive, 1, { output: PAID }), CompletionRefusedError);
    await assert.rejects(client.resolve(drive.run, { seq: 1, output: PAID }), OperatorRequiredError);
    await assert.rejects(client.abandon(drive.run), OperatorRequiredError);
    await assert.rejects(client.resolveClientRun(drive, { seq: 1, output: PAID }), OperatorRequiredError);
    await assert.rejects(operator.resolve(drive.run, { seq: 3, output: PAID }), WrongStateError);

    const { pending, refused_reports } = await client.run(drive.run);
    assert.equal(pending?.seq, 1);
    assert.equal(refused_reports?.length, 1);
    const resolved = await operator.resolve(drive.run, {
      seq: 1,
      output: PAID,
      operator: "Ann",
      note: "seen",
    });
    assert.equal(resolved.status?.state, "running");
    await client.toolIntent(drive, { seq: 3, tool: "wire_out", input: ASK });
    const both = new SalvorClient({
      url: server.url,
      token: TOKENS.clientToken,
      operatorToken: TOKENS.operatorToken,
    });
    const settled = await both.resolveClientRun(drive, { seq: 3, not_performed: true, note: "declined" });
    assert.deepEqual(settled, { run: drive.run, resolved: true });
    const abandoned = await operator.abandon(drive.run, { reason: "closed" });
    assert.equal(abandoned.appended_seq, 5);
    assert.equal(abandoned.status.state, "abandoned");
  });

  it("lists runs by page and by state", async () => {
    const drives = [await started(), await started(), await started()];
    const ended = drives[1]!;
    await operator.abandon(ended.run);
    const { runs } = await client.runs({ status: "abandoned" });
    assert.ok(runs.some(({ run }) => run === ended.run));
    assert.ok(runs.every(({ status }) => status?.state === "abandoned"));
    const listed: string[] = [];
    let after: string | undefined;
    do {
      const page = await client.runs({ limit: 2, ...(after !== undefined && { after }) });
      assert.ok(page.runs.length <= 2);
      listed.push(...page.runs.map(({ run }) => run));
      after = page.next;
    } while (after !== undefined);
    assert.deepEqual(
      listed,
      (await client.runs()).runs.map(({ run }) => run),
    );
    for (const { run } of drives) assert.ok(listed.includes(run));
    await assert.rejects(client.run(crypto.randomUUID()), UnknownRunError);
  });

  it("ends a call when its signal says so, with the signal's reason", async () => {
    const reason = new Error("enough");
    await assert.rejects(client.clientTools({ signal: AbortSignal.abort(reason) }), reason);
  });

  it("refuses a url and a token that could not work, without printing the token", () => {
    const url = "http://127.0.0.1:8080";
    assert.throws(() => new SalvorClient({ url: "file:///etc/passwd" }), /https:\/\/, not with file:/);
    assert.throws(() => new SalvorClient({ url: "http://me:secret@127.0.0.1" }), /holds no secret/);
    assert.throws(() => new SalvorClient({ url, token: "" }), /^TypeError: token is empty/);
    assert.throws(
      () => new SalvorClient({ url, operatorToken: "se\ncret" }),
      ({ message }: Error) => message.startsWith("operatorToken is not made of") && !message.includes("cret"),
    );
  });
});

describe("what is no answer of a Salvor server", () => {
  /** Answers each request with the next of these. */
  async function answering(
    answers: readonly {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body: string;
    }[],
  ) {
    let served = 0;
    const server = createServer((request, response) => {
      request.resume();
      const answer = answers[Math.min(served, answers.length - 1)]!;
      served += 1;
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const close = () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    };
    return { url, served: () => served, close };
  }
  const DRIVE = { run: crypto.randomUUID(), driveToken: "dt_0" };
  const ask = { seq: 1, tool: "pay_out", input: ASK };

  it("is refused rather than read for something: an intent's answer must say whether the call is settled", async () => {
    const whole = { seq: 1, idempotency_key: "k", effect: "write", settled: false };
    for (const [name, body] of [
      ["html", "<html>"],
      ["settled missing", JSON.stringify({ ...whole, settled: undefined })],
      ["settled in words", JSON.stringify({ ...whole, settled: "no" })],
      ["another effect", JSON.stringify({ ...whole, effect: "harmless" })],
      ["settled without output", JSON.stringify({ ...whole, settled: true })],
      ["a list", "[]"],
    ] as const) {
      const server = await answering([{ status: 200, body }]);
      const client = new SalvorClient({ url: server.url, retries: 3 });
      await assert.rejects(client.toolIntent(DRIVE, ask), UnexpectedAnswerError, name);
      assert.equal(server.served(), 1, name);
      await server.close();
    }
  });

  it("is refused rather than read for a model's answer", async () => {
    const whole = { seq: 1, settled: true, response: 1, usage: { input_tokens: 1, output_tokens: 1 } };
    for (const [name, body] of [
      ["settled missing", { ...whole, settled: undefined }],
      ["response missing", { ...whole, response: undefined }],
      ["usage missing", { ...whole, usage: undefined }],
    ] as const) {
      const server = await answering([{ status: 200, body: JSON.stringify(body) }]);
      const client = new SalvorClient({ url: server.url, retries: 0 });
      const asked = client.modelIntent(DRIVE, { seq: 1, requestHash: "h" });
      await assert.rejects(asked, UnexpectedAnswerError, name);
      await server.close();
    }
  });

  it("is asked again when a proxy says that the server behind it is away", async () => {
    const server = await answering([
      { status: 502, body: "<html>Bad Gateway</html>" },
      { status: 200, body: '{"client_tools":[]}' },
    ]);
    const client = new SalvorClient({ url: server.url, retries: 1 });
    assert.deepEqual(await client.clientTools(), []);
    assert.equal(server.served(), 2);
    await server.close();
  });

  it("does not follow a redirect, which would carry the token elsewhere", async () => {
    const server = await answering([{ status: 307, headers: { location: "http://127.0.0.1:9/" }, body: "" }]);
    const client = new SalvorClient({ url: server.url, token: "secret", retries: 0 });
    await assert.rejects(client.clientTools(), TransportError);
    assert.equal(server.served(), 1);
    await server.close();
  });

  it("gives up an attempt that takes too long", async () => {
    const silent = createServer(() => undefined);
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const client = new SalvorClient({ url, timeoutMs: 30, retries: 0 });
    await assert.rejects(client.clientTools(), { name: "TransportError", message: /no answer within 30 ms/ });
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
  });

  it("honours Retry-After for what may be sent again, and leaves the rest to the caller", async () => {
    const busy = {
      status: 503,
      headers: { "retry-after": "0" },
      body: '{"error":{"code":"store_unavailable","message":"disk full"}}',
    };
    const server = await answering([busy, { status: 200, body: '{"log":[]}' }, busy]);
    const client = new SalvorClient({ url: server.url, retries: 1 });
    assert.deepEqual(await client.log(DRIVE.run), []);
    const error = await caught(client.resolve(DRIVE.run, { seq: 1, output: 1 }), UnavailableError);
    assert.equal(error.retryAfterMs, 0);
    assert.equal(server.served(), 3);
    assert.equal(await client.ready(), false);
    await server.close();
  });
});
