import assert from "node:assert/strict";
import { after, before } from "node:test";
import { HandlerError } from "#salvor/index.js";
import { attemptKey } from "#salvor/log/keys.js";
import { hostedSettings } from "#salvor/runtime/hosted/hosted-options.js";
import { AppState, startServer } from "#salvor/server/index.js";
import { openPostgresStore } from "#salvor/store/index.js";
import { EventStream } from "../support/event-stream.js";
import { hostedTool, hostedTools, Paused } from "../support/hosted-tools.js";
import { TestPostgres } from "../support/postgres.js";
import { TestServer, type TestRun } from "../support/test-server.js";
import { REFUND_CARD, SET_ADDRESS } from "../support/tools.js";
import { is, table } from "./table.js";
import { onOwn } from "./on-own.js";

const receipt = { refund_id: "r", amount_cents: 5 };
const refund = { order_id: "o", amount_cents: 5 };
const slow = new Paused();
let attempts: { readonly key: string | undefined; readonly attempt: number }[] = [];
/** A tool that fails so often before it answers. */
const failing = (name: string, effect: "read" | "idempotent" | "write", times: number) =>
  hostedTool(name, effect, ({ idempotencyKey, attempt }) => {
    attempts.push({ key: idempotencyKey, attempt });
    if (attempt <= times) throw new HandlerError(`no ${attempt}`);
    return { attempt };
  });
const hosted = hostedTools(
  failing("read", "read", 9),
  failing("idempotent", "idempotent", 9),
  failing("write", "write", 9),
  failing("shaky", "read", 1),
  hostedTool("slow", "write", slow.call, { timeoutMs: 20 }),
  hostedTool("endless", "write", slow.call),
);
let server: TestServer;
before(async () => (server = await TestServer.start({ hosted })));
after(() => server.stop());

const step = (run: TestRun, tool: string, seq = 1) => run.post("tool-step", { seq, tool, input: {} });
const reports = async (run: TestRun) =>
  ((await server.get(`/v1/runs/${run.id}`)).json.refused_reports ?? []) as Record<string, unknown>[];
const resolve = (run: TestRun, body: object) => server.post(`/v1/runs/${run.id}/resolve`, body);

/** A run in which a write took longer than it may, and is still at it. */
async function givenUp(): Promise<TestRun> {
  const run = await server.open();
  is(await step(run, "slow"), 409, "needs_reconciliation");
  return run;
}

/** Resolves once something is recorded of a run. */
const recorded = (run: TestRun) =>
  new Promise<void>((done) => {
    const leave = server.store.subscribe(run.id, () => {
      leave();
      done();
    });
  });

table(
  7,
  "performing and settling calls",
  [
    [
      "7.81",
      "dispatch by effect: a read and an idempotent call are tried three times under one key, a write once",
      async () => {
        for (const [tool, count] of [
          ["read", 3],
          ["idempotent", 3],
          ["write", 1],
        ] as const) {
          const run = await server.open();
          attempts = [];
          is(await step(run, tool), 502, "tool_execution", new RegExp(`no ${count}`));
          const key = attemptKey(run.id, 1, tool);
          assert.deepEqual(
            attempts,
            Array.from({ length: count }, (_, at) => ({ key, attempt: at + 1 })),
          );
          const { __salvor_error } = (await run.log())[2].event.payload.output;
          assert.deepEqual([__salvor_error.kind, __salvor_error.attempts], ["handler", count]);
        }
      },
    ],
    [
      "7.82",
      "what works at the second attempt is one intent and one completion",
      async () => {
        const run = await server.open();
        assert.deepEqual(is(await step(run, "shaky"), 200), { output: { attempt: 2 } });
        assert.equal((await run.log()).length, 3);
      },
    ],
    [
      "7.83",
      "every hosted tool has a timeout, of 5 minutes by default: a write that takes longer is open",
      async () => {
        assert.equal(hostedSettings({}).timeoutMs, 300_000);
        await onOwn({ hosted, hosting: { timeoutMs: 20 } }, async (own) => {
          const run = await own.open();
          is(await step(run, "endless"), 409, "needs_reconciliation");
          assert.equal(slow.ctx().signal.aborted, true);
        });
      },
    ],
    [
      "7.84",
      "a result that comes late completes the intent if that is still open",
      async () => {
        const run = await givenUp();
        const completed = recorded(run);
        slow.end({ late: 1 });
        await completed;
        assert.deepEqual(is(await step(run, "slow"), 200), { output: { late: 1 } });
        assert.deepEqual(await reports(run), []);
      },
    ],
    [
      "7.85",
      "else it is kept as a refused report: once a person has settled the call, or abandoned the run",
      async () => {
        for (const [what, body] of [
          ["resolve", { seq: 1, output: "by hand" }],
          ["resolve", { seq: 1, not_performed: true }],
          ["abandon", { seq: 1 }],
        ] as const) {
          const run = await givenUp();
          is(await server.post(`/v1/runs/${run.id}/${what}`, body), 200);
          const { length } = await run.log();
          slow.end({ late: 1 });
          let kept: Record<string, unknown>[];
          do kept = await reports(run);
          while (kept.length === 0);
          assert.deepEqual(
            kept.map(({ seq, code, output }) => [seq, code, output]),
            [[1, "divergence", { late: 1 }]],
          );
          assert.equal((await run.log()).length, length);
        }
      },
    ],
    [
      "7.86",
      "a late result that says what is recorded already is no contradiction, and leaves nothing",
      async () => {
        const run = await givenUp();
        is(await resolve(run, { seq: 1, output: { late: 1 } }), 200);
        slow.end({ late: 1 });
        // Behind it: a later one is kept.
        is(await step(run, "slow", 3), 409, "needs_reconciliation");
        is(await resolve(run, { seq: 3, output: "by hand" }), 200);
        slow.end({ late: 2 });
        let kept: Record<string, unknown>[];
        do kept = await reports(run);
        while (kept.length === 0);
        assert.deepEqual(
          kept.map(({ seq }) => seq),
          [3],
        );
      },
    ],
    [
      "7.87",
      "while a server executes a call every server knows: resolve and abandon are 409 executing, the call is joined, nobody waits; the heartbeat goes on for as long as it takes",
      async () => {
        const postgres = await TestPostgres.start();
        const ended: (() => Promise<void>)[] = [() => postgres.stop()];
        try {
          const database = await postgres.createDatabase();
          const paused = new Paused();
          const start = async () => {
            const store = await openPostgresStore(database);
            const state = new AppState({ store, hosting: { executionTtlMs: 400 }, keepAliveMs: 500 });
            const tools = hostedTools(hostedTool("wait", "write", paused.call));
            const running = await startServer(state.withTools(tools), { host: "127.0.0.1", port: 0 });
            ended.unshift(() => running.close());
            return async (method: string, path: string, body?: unknown, drive = "") => {
              const headers = { connection: "close", ...(drive !== "" && { "x-drive-token": drive }) };
              const sent = body === undefined ? {} : { body: JSON.stringify(body) };
              const response = await fetch(running.url + path, { method, headers, ...sent });
              const text = await response.text();
              const { status, headers: answered } = response;
              return { status, headers: answered, text, json: JSON.parse(text) as never, url: running.url };
            };
          };
          const [one, two] = [await start(), await start()];
          const { run, drive_token: drive } = (await one("POST", "/v1/client-runs", {})).json as {
            run: string;
            drive_token: string;
          };
          const event = { kind: "RunStarted", payload: { agent_def_hash: "a", input: 1 } };
          const events = [{ run_id: run, seq: 0, schema_version: 1, event }];
          is(await one("POST", `/v1/client-runs/${run}/events`, { events }, drive), 200);
          const call = { seq: 1, tool: "wait", input: {} };
          const first = one("POST", `/v1/client-runs/${run}/tool-step`, call, drive);
          await paused.begun();
          const joined = two("POST", `/v1/client-runs/${run}/tool-step`, call, drive);
          const look = async () => {
            for (const at of [one, two]) {
              for (const what of ["resolve", "abandon"])
                is(
                  await at("POST", `/v1/runs/${run}/${what}`, { seq: 1, output: 1 }),
                  409,
                  "wrong_state",
                  /executing/,
                );
              assert.deepEqual(is(await at("GET", "/v1/runs?group=waiting"), 200).runs, []);
            }
          };
          await look();
          // Three comments of a stream are 1.5 s: longer than an execution lives that is not renewed.
          const { url } = await two("GET", "/healthz");
          const stream = await EventStream.open(`${url}/v1/runs/${run}/events?follow=1&from_seq=2`);
          for (let each = 0; each < 3; each += 1) assert.equal((await stream.next())?.text, ": keep-alive");
          stream.leave();
          await look();
          paused.end({ done: 1 });
          for (const answer of [await first, await joined])
            assert.deepEqual(is(answer, 200), { output: { done: 1 } });
          assert.equal(paused.calls, 1);
        } finally {
          for (const end of ended) await end();
        }
      },
    ],
    [
      "7.88",
      "a copy must satisfy the output_schema of this intent, as it is declared now, else 409 naming the holder, nothing written",
      () =>
        onOwn({}, async (own) => {
          const run = await own.open();
          is(await run.intent(1, "refund_card", refund), 200);
          is(await run.complete(1, { output: receipt }), 200);
          const required = ["refund_id", "amount_cents", "booked_at"];
          const stricter = { ...REFUND_CARD, output_schema: { type: "object", required } };
          await own.restart({ tools: [stricter] });
          const { error } = is(
            await run.intent(3, "refund_card", refund),
            409,
            "divergence",
            /output_schema/,
          );
          assert.deepEqual(error.details.holder, { run_id: run.id, seq: 1 });
          assert.equal((await run.log()).length, 3);
          await own.restart({});
          assert.equal(is(await run.intent(3, "refund_card", refund), 200).settled, true);
        }),
    ],
    [
      "7.89",
      "a failure of another kind than invalid_input and handler does not release an identity: its effect ran",
      async () => {
        const run = await server.open();
        const input = { customer: "c", street: "s" };
        is(await run.intent(1, SET_ADDRESS.name, input), 200);
        is(await run.complete(1, { error: { message: "m", kind: "output_serialization" } }), 200);
        const { error } = is(await run.intent(3, SET_ADDRESS.name, input), 409, "divergence");
        assert.deepEqual(error.details.holder, { run_id: run.id, seq: 1 });
        assert.equal((await run.log()).length, 3);
      },
    ],
    [
      "7.90",
      "a report is judged in order: where the log ends, who performs the call, trust, output_schema at all, the reserved shapes, the schema, the pins",
      async () => {
        const run = await server.open();
        const reserved = { __salvor_error: {} };
        is(await run.complete(0, { output: reserved }), 409, "divergence");
        const open = async (tool: string, input: unknown) => {
          const own = await server.open();
          is(await own.intent(1, tool, input), 200);
          return own;
        };
        const untrusted = await open("pay_out", { iban: "a", amount_cents: 1 });
        is(await untrusted.complete(1, { output: reserved }), 403, "client_completion_refused", /trust/);
        is(
          await untrusted.complete(1, { error: { message: "m", kind: "output_serialization" } }),
          403,
          "client_completion_refused",
          /trust/,
        );
        const unshaped = await open("look_up", {});
        is(
          await unshaped.complete(1, { output: reserved }),
          403,
          "client_completion_refused",
          /no output_schema/,
        );
        const own = await open("refund_card", refund);
        is(await own.complete(1, { output: reserved }), 400, "bad_request", /reserved/);
        is(await own.complete(1, { output: { amount_cents: 6 } }), 400, "bad_request", /output_schema/);
        is(
          await own.complete(1, { output: { ...receipt, amount_cents: 6 } }),
          403,
          "client_completion_refused",
          /require_equal/,
        );
        const hostedRun = await givenUp();
        is(
          await hostedRun.complete(1, { output: reserved }),
          403,
          "client_completion_refused",
          /performed by this server/,
        );
        slow.end(1);
      },
    ],
    [
      "7.91",
      "a report that is recorded is recognised whatever is declared now, whoever may close the call now",
      () =>
        onOwn({}, async (own) => {
          const run = await own.open();
          is(await run.intent(1, "refund_card", refund), 200);
          is(await run.complete(1, { output: receipt }), 200);
          for (const tools of [[], [{ ...REFUND_CARD, trust_completion: false }]]) {
            await own.restart({ tools });
            assert.deepEqual(is(await run.complete(1, { output: receipt }), 200), {
              seq: 1,
              completed: true,
            });
            is(await run.complete(1, { output: { ...receipt, refund_id: "s" } }), 409, "divergence");
          }
          assert.equal((await run.log()).length, 3);
        }),
    ],
    [
      "7.92",
      "a recorded position of tool-step is answered before the registry is asked for: also on a server without tools",
      () =>
        onOwn({ hosted }, async (own) => {
          const run = await own.open();
          const first = await step(run, "shaky");
          await own.restart({});
          assert.equal((await step(run, "shaky")).text, first.text);
          is(await step(run, "other"), 409, "divergence");
          is(await step(run, "shaky", 3), 503, "tool_registry_unavailable");
        }),
    ],
    [
      "7.93",
      "what belongs together is one append: a copy, a suspension, a settled identity, a whole batch of steps",
      () =>
        onOwn({}, async (own) => {
          const run = await own.open();
          const { store } = own;
          const append = store.append.bind(store);
          const sizes: number[] = [];
          store.append = (id, events, unit) => {
            sizes.push(events.length);
            return append(id, events, unit);
          };
          is(await run.intent(1, "refund_card", refund), 200);
          is(await run.complete(1, { output: receipt }), 200);
          is(await run.intent(3, "refund_card", refund), 200);
          is(await run.intent(5, "charge_card", { cents: 1 }), 200);
          is(await run.complete(5, { suspend: { reason: "r", input_schema: true } }), 200);
          is(await own.post(`/v1/runs/${run.id}/resume`, { seq: 7, input: { charge: "c" } }), 200);
          const steps = [{ model_intent: { seq: 9, request_hash: "h" } }];
          is(await run.post("steps", { steps }), 200);
          const usage = { input_tokens: 1, output_tokens: 1 };
          const next = [
            { model_completion: { seq: 9, response: 1, usage } },
            { event: run.envelope(11, "NowObserved", { now: "2026-01-01T00:00:00Z" }) },
            { tool_intent: { seq: 12, tool: "charge_card", input: { cents: 2 } } },
          ];
          is(await run.post("steps", { steps: next }), 200);
          assert.deepEqual(sizes, [1, 1, 2, 1, 2, 1, 1, 3]);
        }),
    ],
    [
      "7.94",
      "seq is required in each step, whichever of the five it is",
      async () => {
        const run = await server.open();
        const usage = { input_tokens: 1, output_tokens: 1 };
        for (const step of [
          { tool_intent: { tool: "charge_card", input: { cents: 1 } } },
          { tool_completion: { output: 1 } },
          { model_intent: { request_hash: "h" } },
          { model_completion: { response: 1, usage } },
          { event: { ...run.envelope(1, "NowObserved", { now: "2026-01-01T00:00:00Z" }), seq: undefined } },
        ])
          assert.equal(
            is(await run.post("steps", { steps: [step] }), 400, "bad_request", /seq/).error.details.step,
            0,
          );
      },
    ],
    [
      "7.95",
      "a batch may resume what it suspended, and what follows sees the call's answer; with an operator it is theirs alone, judged before anything is applied",
      async () => {
        const steps = (run: TestRun) => ({
          steps: [
            { tool_completion: { seq: 1, suspend: { reason: "r", input_schema: true } } },
            { event: run.envelope(4, "Resumed", { input: receipt }) },
            { tool_intent: { seq: 5, tool: "refund_card", input: refund } },
          ],
        });
        const run = await server.open();
        is(await run.intent(1, "refund_card", refund), 200);
        const { results } = is(await run.post("steps", steps(run)), 200);
        assert.deepEqual([results[2].settled, results[2].output], [true, receipt]);
        await onOwn({ operatorToken: "operator-secret" }, async (own) => {
          const theirs = await own.open();
          is(await theirs.intent(1, "refund_card", refund), 200);
          const refused = is(await theirs.post("steps", steps(theirs)), 403, "operator_required");
          assert.equal(refused.error.details.step, 1);
          assert.equal((await theirs.log()).length, 2);
          is(await theirs.post("steps", steps(theirs), { bearer: "operator-secret" }), 200);
        });
      },
    ],
  ],
  81,
);
