import { randomUUID } from "node:crypto";

/** A run that a client drives. */
class Run {
  constructor(clients, { run, drive_token: token }) {
    this.clients = clients;
    this.id = run;
    this.token = token;
    this.seq = 0;
  }

  static async open(clients) {
    clients.runs += 1;
    const run = new Run(clients, await clients.ask("POST", "/v1/client-runs", { body: { agent: "load" } }));
    await run.event("RunStarted", {
      agent_def_hash: "sha256:load",
      input: { n: 1 },
      labels: { team: "load" },
    });
    return run;
  }

  post(endpoint, body, options = {}) {
    const token = options.token ?? this.token;
    return this.clients.ask("POST", `/v1/client-runs/${this.id}/${endpoint}`, { token, ...options, body });
  }

  /** What the operator asks for. */
  decide(endpoint, body, options = {}) {
    return this.clients.ask("POST", `/v1/runs/${this.id}/${endpoint}`, { ...options, body });
  }

  get(path = "") {
    return this.clients.ask("GET", `/v1/runs/${this.id}${path}`);
  }

  async event(kind, payload) {
    const event = { run_id: this.id, seq: this.seq, schema_version: 1, event: { kind, payload } };
    await this.post("events", { events: [event] });
    this.seq += 1;
  }

  async intent(tool, input) {
    await this.post("client-tool-intent", { seq: this.seq, tool, input });
    this.seq += 1;
    return this.seq - 1;
  }

  async charge() {
    const { input, output } = order();
    const seq = await this.intent("charge_card", input);
    await this.post("client-tool-completion", { seq, output });
    this.seq += 1;
  }

  end() {
    return this.event("RunCompleted", { output: { ok: true } });
  }
}

function order() {
  const id = randomUUID();
  return { input: { order: id, note: "a line of text" }, output: { order: id, receipt: "r-1f0c" } };
}

/** What clients live through. Each begins with a run of its own and leaves nothing open but what history keeps. */
export const STORIES = {
  async calls(clients) {
    const run = await Run.open(clients);
    for (let left = 5; left > 0; left -= 1) await run.charge();
    await run.end();
  },

  async steps(clients) {
    const run = await Run.open(clients);
    let before;
    for (let left = 6; left > 0; left -= 1) {
      const { input, output } = order();
      const steps = before === undefined ? [] : [{ tool_completion: before }];
      if (before !== undefined) run.seq += 1;
      const seq = run.seq;
      const body = { steps: [...steps, { tool_intent: { seq, tool: "charge_card", input } }] };
      await run.post("steps", body);
      // An answer that was lost: the same again.
      if (left % 3 === 0) await run.post("steps", body);
      run.seq += 1;
      before = { seq, output };
    }
    await run.post("steps", { steps: [{ tool_completion: before }] });
    run.seq += 1;
    await run.end();
  },

  async suspensions(clients) {
    const run = await Run.open(clients);
    const seq = await run.intent("charge_card", order().input);
    const suspend = { reason: "who pays?", input_schema: { type: "object", required: ["order", "receipt"] } };
    await run.post("client-tool-completion", { seq, suspend });
    await run.decide("resume", { seq: seq + 2, input: { wrong: 1 } }, { expect: [400] });
    await run.decide("resume", { seq: seq + 2, input: { order: "x", receipt: "y" } });
    run.seq = seq + 4;
    await run.end();
  },

  async resolutions(clients) {
    const run = await Run.open(clients);
    const seq = await run.intent("pay_out", { iban: "DE00" });
    await run.post("client-tool-completion", { seq, output: { paid: true } }, { expect: [403] });
    await run.get();
    await run.decide("resolve", { seq, output: { paid: true }, operator: "somebody" });
    run.seq = seq + 2;
    await run.end();
  },

  async abandonments(clients) {
    const run = await Run.open(clients);
    const seq = await run.intent("pay_out", { iban: "DE01" });
    await run.decide("abandon", { seq, reason: "nobody wants it" });
  },

  async hosted(clients) {
    const run = await Run.open(clients);
    for (const [tool, input] of [
      ["look_up", { word: "a" }],
      ["send_letter", { to: "b" }],
    ]) {
      const body = { seq: run.seq, tool, input };
      // The second joins the first, or is answered from what it recorded.
      await Promise.all([run.post("tool-step", body), run.post("tool-step", body)]);
      run.seq += 2;
    }
    await run.end();
  },

  async models(clients) {
    const run = await Run.open(clients);
    const { seq } = run;
    await run.post("client-model-intent", { seq, request_hash: "sha256:m" });
    const usage = { input_tokens: 10, output_tokens: 20 };
    await run.post("client-model-completion", { seq, response: { text: "hello" }, usage });
    run.seq += 2;
    for (let left = 20; left > 0; left -= 1) await run.event("NowObserved", { now: "2026-01-01T00:00:00Z" });
    await run.end();
  },

  async takeovers(clients) {
    const run = await Run.open(clients);
    await run.charge();
    const { drive_token: token } = await clients.ask("POST", "/v1/client-runs", { body: { run_id: run.id } });
    await run.post("client-tool-intent", { seq: run.seq, tool: "charge_card", input: {} }, { expect: [403] });
    run.token = token;
    await run.charge();
    await run.end();
  },

  async streams(clients) {
    const run = await Run.open(clients);
    const dropped = clients.listen(`/v1/runs/${run.id}/events?follow=1`, 3);
    const heard = clients.listen(`/v1/runs/${run.id}/events?follow=1&from_seq=1`, Infinity);
    for (let left = 3; left > 0; left -= 1) await run.charge();
    await run.end();
    await Promise.all([dropped, heard]);
  },

  async refusals(clients) {
    const run = await Run.open(clients);
    const { seq } = run;
    const unknown = { seq, tool: "no_such_tool", input: {} };
    await run.post("client-tool-intent", unknown, { expect: [404] });
    await run.post(
      "client-tool-intent",
      { seq, tool: "charge_card", input: { order: 1 } },
      { expect: [400] },
    );
    await run.post("client-tool-intent", '{"seq":1,"seq":2}', { expect: [400] });
    await run.post("client-tool-intent", unknown, { expect: [403], token: `dt_${"0".repeat(32)}` });
    await run.post("events", { events: [] }, { expect: [200, 400] });
    await clients.ask("GET", "/v1/nothing", { expect: [404] });
    await clients.ask("DELETE", `/v1/runs/${run.id}`, { expect: [405] });
    const chargeId = order();
    const open = await run.intent("charge_card", chargeId.input);
    const output = { ...chargeId.output, order: "another" };
    await run.post("client-tool-completion", { seq: open, output }, { expect: [403] });
    await run.post("client-tool-completion", { seq: open, output: chargeId.output });
    run.seq += 1;
    await run.end();
  },

  async reading(clients) {
    const run = await Run.open(clients);
    await run.charge();
    await clients.ask("GET", "/v1/runs?group=waiting&limit=20");
    await clients.ask("GET", "/v1/runs?limit=50");
    await clients.ask("GET", "/v1/client-tools");
    await clients.ask("GET", "/metrics");
    await clients.ask("GET", "/v1/openapi.json");
    await clients.ask("GET", `/v1/client-runs/${run.id}/log?from_seq=0`);
    await run.get("/replay");
    await run.end();
  },
};
