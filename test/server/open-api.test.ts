import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import type { JsonObject } from "#salvor/contract/json.js";
import { EVENT_KINDS } from "#salvor/log/events.js";
import { RUN_STATES } from "#salvor/log/fold.js";
import { STATUS_OF } from "#salvor/server/api-error.js";
import { ENDPOINTS, openApi } from "#salvor/server/description/open-api.js";
import { INTENT, RESUME } from "#salvor/server/shapes.js";
import { assertDescribed, assertFrameDescribed } from "../support/contract.js";
import { TestServer } from "../support/test-server.js";

interface Answered {
  readonly content: Record<
    string,
    { schema?: { properties?: { error?: { properties: { code: { enum: string[] } } } } } }
  >;
}

void describe("the description of the API", () => {
  let server: TestServer;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  let served: any;
  before(async () => {
    server = await TestServer.start({ clientToken: "client-secret" });
    served = (await server.get("/v1/openapi.json", { bearer: "client-secret" })).json;
  });
  after(() => server.stop());

  it("is valid OpenAPI 3.1, as it is served and with everything that the contract has", async () => {
    for (const document of [served, openApi(ENDPOINTS)]) {
      const { valid, errors } = await new Validator().validate(structuredClone(document));
      assert.ok(valid, JSON.stringify(errors));
      assert.equal(document.openapi, "3.1.0");
    }
  });

  it("is read like any other answer: with the client's token where there is one", async () => {
    assert.equal((await server.get("/v1/openapi.json")).status, 401);
  });

  it("is of what is served, and of nothing else", async () => {
    const paths = Object.entries(served.paths as Record<string, object>);
    assert.ok(paths.length >= 20);
    for (const [path, operations] of paths) {
      for (const method of Object.keys(operations)) {
        const url = path.replace("{id}", "00000000-0000-4000-8000-000000000001");
        const body = method === "post" ? { body: {} } : {};
        const { status, json } = await server.call(method.toUpperCase(), url, {
          bearer: "client-secret",
          ...body,
        });
        assert.ok(status !== 405 && json?.error?.code !== "not_found", `${method} ${path}`);
      }
    }
  });

  it("judges bodies by the schemas that the routes judge them by", () => {
    assert.deepEqual(served.components.schemas.ToolIntent, INTENT.schema);
    assert.deepEqual(
      served.paths["/v1/runs/{id}/resume"].post.requestBody.content["application/json"].schema,
      RESUME.schema,
    );
  });

  it("has every kind of event, every state of a run and every code of an error under its status", () => {
    const { schemas } = served.components;
    const kinds = schemas.Event.oneOf
      .slice(0, -1)
      .map(({ $ref }: { $ref: string }) => $ref.split("/").at(-1));
    assert.deepEqual(
      kinds,
      EVENT_KINDS.map((kind) => `${kind}Event`),
    );
    const states = schemas.Status.oneOf.flatMap(
      ({ properties: { state } }: { properties: { state: { const?: string; enum?: string[] } } }) =>
        state.enum ?? [state.const],
    );
    assert.deepEqual([...states].sort(), [...RUN_STATES].sort());

    const codes = new Map<string, number>();
    const whole = openApi(ENDPOINTS) as unknown as typeof served;
    const operations = Object.values(whole.paths as Record<string, object>).flatMap((each) =>
      Object.values(each),
    );
    const answers = [
      ...operations.map(({ responses }) => responses),
      { 404: whole.components.responses.NotFound, 405: whole.components.responses.MethodNotAllowed },
    ];
    for (const responses of answers) {
      for (const [status, { content }] of Object.entries(responses as Record<string, Answered>)) {
        const listed = content["application/json"]?.schema?.properties?.error?.properties.code.enum ?? [];
        for (const code of listed) codes.set(code, Number(status));
      }
    }
    assert.deepEqual(
      Object.fromEntries([...codes].sort()),
      Object.fromEntries(Object.entries(STATUS_OF).sort()),
    );
  });
});

void describe("what holds every answer of the tests to the description", () => {
  const all = { "content-type": "application/json", "x-request-id": "r", "cache-control": "no-store" };
  const but = (changed: Readonly<Record<string, string | undefined>>) => {
    const entries = Object.entries<string | undefined>({ ...all, ...changed });
    return new Headers(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
  };
  const headers = but({});
  const answer = { method: "GET", path: "/v1/agents", status: 200, headers, text: '{"agents":[]}' };

  it("takes an answer as it is described", () => {
    assertDescribed(answer);
    assertFrameDescribed({ method: "GET", path: "/v1/runs/x/events" }, "end", {
      status: { state: "running" },
      detached: true,
    });
  });

  for (const [what, change] of [
    ["with a field that is not described", { text: '{"agents":[],"more":1}' }],
    ["without a field that is", { text: "{}" }],
    ["with a status that is not described", { status: 418 }],
    ["with a code of another status", { status: 400, text: '{"error":{"code":"not_found","message":""}}' }],
    ["of a type that is not described", { headers: but({ "content-type": "text/html" }) }],
    ["without a request id", { headers: but({ "x-request-id": undefined }) }],
    ["that a cache may keep", { headers: but({ "cache-control": undefined }) }],
    [
      "of an error without its header",
      { status: 503, text: '{"error":{"code":"shutting_down","message":""}}' },
    ],
  ] as const) {
    it(`refuses one ${what}`, () => {
      assert.throws(() => {
        assertDescribed({ ...answer, ...change });
      }, assert.AssertionError);
    });
  }

  it("refuses an event with a payload of another kind, and a pending call with more than it has", () => {
    const envelope = (event: JsonObject) => ({
      run_id: "00000000-0000-4000-8000-000000000001",
      seq: 0,
      schema_version: 1,
      recorded_at: "2026-01-01T00:00:00Z",
      event,
    });
    const path = "/v1/runs/x/events";
    assertFrameDescribed(
      { method: "GET", path },
      undefined,
      envelope({ kind: "RunFailed", payload: { error: "e", kept: 1 } }),
    );
    assertFrameDescribed({ method: "GET", path }, undefined, envelope({ kind: "LaterKind", payload: null }));
    for (const event of [
      { kind: "RunFailed", payload: { error: 1 } },
      { kind: "RunFailed", payload: { output: 1 } },
    ])
      assert.throws(() => {
        assertFrameDescribed({ method: "GET", path }, undefined, envelope(event));
      }, assert.AssertionError);
    assert.throws(() => {
      assertFrameDescribed({ method: "GET", path }, "end", { status: { state: "running", output: 1 } });
    });
  });
});
