import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type TextMapPropagator,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import { DurableRun } from "#salvor/runtime/index.js";
import { AppState } from "#salvor/server/index.js";
import { openLowdbStore } from "#salvor/store/index.js";
import { START, tool, toolsOf } from "../runtime/world.js";
import { spawnServer } from "../support/spawn-server.js";
import { TestServer } from "../support/test-server.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

// The SDK's own, which brings it along.
const { W3CTraceContextPropagator } = createRequire(import.meta.resolve("@opentelemetry/sdk-trace-base"))(
  "@opentelemetry/core",
) as { readonly W3CTraceContextPropagator: new () => TextMapPropagator };

const exporter = new InMemorySpanExporter();

/** The spans that have ended, by name, the last of each. */
function spans(): ReadonlyMap<string, ReadableSpan> {
  return new Map(exporter.getFinishedSpans().map((span) => [span.name, span]));
}

void describe("traces, where an OpenTelemetry SDK is registered", () => {
  let server: TestServer;
  before(async () => {
    trace.setGlobalTracerProvider(
      new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
    );
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    server = await TestServer.start({ clientToken: "client-secret", operatorToken: "operator-secret" });
  });
  after(async () => {
    await server.stop();
    trace.disable();
    context.disable();
    propagation.disable();
  });
  beforeEach(() => {
    exporter.reset();
  });

  it("hold a span for a request, under the one that its headers name, and one for its append under that", async () => {
    const run = await server.open({ bearer: "client-secret" });
    exporter.reset();
    await run.post(
      "client-tool-intent",
      { seq: 1, tool: "charge_card", input: { cents: 4_711 } },
      { headers: { traceparent: `00-${TRACE}-${PARENT}-01`, "x-request-id": "asked" } },
    );
    const request = spans().get("POST /v1/client-runs/:id/client-tool-intent");
    const append = spans().get("salvor.append");
    assert.ok(request && append);
    assert.equal(request.kind, SpanKind.SERVER);
    assert.equal(request.spanContext().traceId, TRACE);
    assert.equal(request.parentSpanContext?.spanId, PARENT);
    assert.deepEqual(request.attributes, {
      "http.request.method": "POST",
      "url.path": `${run.path}/client-tool-intent`,
      "url.scheme": "http",
      "network.protocol.version": "1.1",
      "salvor.request.id": "asked",
      "http.route": "/v1/client-runs/:id/client-tool-intent",
      "salvor.run.id": run.id,
      "http.response.status_code": 200,
    });
    assert.equal(append.parentSpanContext?.spanId, request.spanContext().spanId);
    assert.deepEqual(append.attributes, {
      "salvor.run.id": run.id,
      "salvor.event.count": 1,
      "salvor.event.kinds": ["ToolCallRequested"],
    });
  });

  it("say what a refusal was, which is no fault of the server", async () => {
    await server.get("/v1/runs?status=none", { bearer: "client-secret" });
    const refused = spans().get("GET /v1/runs");
    assert.equal(refused?.attributes["error.type"], "bad_request");
    assert.equal(refused.attributes["http.response.status_code"], 400);
    assert.equal(refused.status.code, SpanStatusCode.UNSET);
    assert.equal(refused.attributes["url.path"], "/v1/runs");
    await server.get("/nowhere", { bearer: "client-secret" });
    assert.equal(spans().get("GET")?.attributes["error.type"], "not_found");
  });

  it("hold no payload, token or key, and no path's query", async () => {
    const run = await server.open({ bearer: "client-secret" });
    const { json } = await run.intent(1, "refund_card", { order_id: "secret-order", amount_cents: 5 });
    await run.complete(1, { output: { refund_id: "secret-refund", amount_cents: 5 } });
    await run.complete(1, { error: { message: "secret-error" } });
    await server.get("/v1/runs?after=secret-query", { bearer: "operator-secret" });
    const text = JSON.stringify(
      exporter
        .getFinishedSpans()
        .map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
    );
    assert.ok(exporter.getFinishedSpans().length >= 8);
    for (const secret of ["secret-", run.token, json.idempotency_key, "client-secret"])
      assert.ok(!text.includes(secret), secret);
  });

  it("hold a span for a tool that is performed, under whoever asked for it", async () => {
    const dir = await mkdtemp(join(tmpdir(), "salvor-traces-"));
    const store = await openLowdbStore({ dir });
    try {
      const state = new AppState({ store });
      await state.observer.load();
      const tools = toolsOf(
        tool("charge_card", "write", () => ({ charge: "secret" })),
        tool("break_down", "write", () => Promise.reject(new Error("secret"))),
      );
      const run = await DurableRun.start(state.recorder, START, tools);
      await trace.getTracer("test").startActiveSpan("the desk", async (span) => {
        await run.call("charge_card", {});
        await assert.rejects(run.call("break_down", {}));
        span.end();
      });
      const [charged, broken] = [
        spans().get("execute_tool charge_card"),
        spans().get("execute_tool break_down"),
      ];
      assert.equal(charged?.parentSpanContext?.spanId, spans().get("the desk")?.spanContext().spanId);
      assert.deepEqual(charged?.attributes, {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "charge_card",
        "salvor.run.id": run.runId,
        "salvor.seq": 1,
        "salvor.effect": "write",
      });
      assert.equal(charged.status.code, SpanStatusCode.UNSET);
      assert.equal(broken?.status.code, SpanStatusCode.ERROR);
      assert.ok(!JSON.stringify([broken.attributes, broken.status, broken.events]).includes("secret"));
    } finally {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    }
  });
});

void describe("a server beside an SDK that breaks", () => {
  it("serves, and says what broke and nothing else that the error holds", async () => {
    const plant = `Object.defineProperty(globalThis, Symbol.for("opentelemetry.js.api.1"), {
      get() { throw Object.assign(new Error("no SDK after all"), { headers: ["sec", "ret"].join("") }); },
    });`;
    const server = await spawnServer({
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(plant)}` },
    });
    assert.equal((await fetch(`${server.url}/v1/runs`)).status, 200);
    await server.stop();
    assert.match(server.stderr, /no SDK after all.*OpenTelemetry cannot be used/);
    assert.doesNotMatch(server.stderr, /secret/);
  });
});

void describe("a server without the OpenTelemetry API", () => {
  for (const [what, registered] of [
    ["and without an SDK", ""],
    [
      "that is loaded beside an SDK of its own copy",
      'globalThis[Symbol.for("opentelemetry.js.api.1")] = {};',
    ],
  ] as const) {
    it(`${what} serves, and says nothing about it`, async () => {
      const hooks = `export const resolve = (name, context, next) =>
        name === "@opentelemetry/api" ? next("a-package-that-is-not-there", context) : next(name, context);`;
      const plant = `import { register } from "node:module"; ${registered}
        register("data:text/javascript,${encodeURIComponent(hooks)}");`;
      const server = await spawnServer({
        env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(plant)}` },
      });
      assert.equal((await fetch(`${server.url}/v1/runs`)).status, 200);
      assert.deepEqual(await server.stop(), { code: 0, signal: null });
      assert.doesNotMatch(server.stderr, /OpenTelemetry|"level":[4-6]0/);
    });
  }
});
