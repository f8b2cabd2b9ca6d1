import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  ClientRun,
  DivergenceError,
  HeldBackError,
  InvalidDriveTokenError,
  NeedsReconciliationError,
  RunEndedError,
  SalvorClient,
  UndeliveredReportError,
} from "#salvor/client/index.js";
import { caught } from "./support/caught.js";
import { TestServer } from "./support/server.js";
import { ALL, World, toolsFor } from "./support/tools.js";

const START = { agentDefHash: "desk-1", input: { ticket: 7 } };
const ASK = { order_id: "o-1", amount_cents: 500 };
const OTHER = { order_id: "o-2", amount_cents: 900 };

describe("a run that is opened again by the one who lost it", () => {
  let server: TestServer;
  let client: SalvorClient;
  let world: World;
  let run: ClientRun;

  before(async () => {
    server = await TestServer.start(ALL);
    client = new SalvorClient({ url: server.url });
  });
  after(() => server.remove());
  beforeEach(async () => {
    world = new World();
    run = await ClientRun.open(client, toolsFor(world), START);
  });

  const takeOver = (tools = toolsFor(new World())) =>
    ClientRun.open(client, tools, { ...START, runId: run.runId });

  it("goes on at its place under a new token, and the one that had taken it drives no more", async () => {
    await run.perform("pay_out", ASK);
    const other = await takeOver();
    await assert.rejects(run.perform("pay_out", OTHER), InvalidDriveTokenError);
    const before = run.driveToken;

    await run.reopen();
    assert.notEqual(run.driveToken, before);
    assert.deepEqual(await run.perform("pay_out", OTHER), { refund_id: "re_2", amount_cents: 900 });
    await run.complete("done");
    assert.equal(world.attempts.length, 2);
    assert.equal((await client.log(run.runId)).length, 6);
    const ask = { seq: 6, tool: "pay_out", input: ASK };
    await assert.rejects(
      client.toolIntent({ run: run.runId, driveToken: other.driveToken }, ask),
      InvalidDriveTokenError,
    );
  });

  it("delivers what it had performed when it lost the run, and performs it no second time", async () => {
    world.next(async ({ amount_cents }) => {
      await client.openRun({ runId: run.runId });
      return { refund_id: "re_1", amount_cents };
    });
    const error = await caught(run.perform("pay_out", ASK), UndeliveredReportError);
    await run.reopen();
    assert.equal(run.undelivered, error);
    assert.deepEqual(await run.perform("pay_out", ASK), { refund_id: "re_1", amount_cents: 500 });
    assert.equal(run.undelivered, undefined);
    assert.equal(world.attempts.length, 1);
  });

  it("goes on behind what it had performed when its caller asks for another call", async () => {
    world.next(async ({ amount_cents }) => {
      await client.openRun({ runId: run.runId });
      return { refund_id: "re_1", amount_cents };
    });
    await assert.rejects(run.perform("pay_out", ASK), UndeliveredReportError);
    await run.reopen();
    assert.deepEqual(await run.perform("pay_out", OTHER), { refund_id: "re_2", amount_cents: 900 });
    assert.deepEqual(
      world.attempts.map(({ seq }) => seq),
      [1, 3],
    );
  });

  it("does not perform a write that the other one opened, although it had asked for the same", async () => {
    const other = await takeOver();
    await assert.rejects(run.perform("pay_out", ASK), InvalidDriveTokenError);
    const drive = { run: run.runId, driveToken: other.driveToken };
    await client.toolIntent(drive, { seq: 1, tool: "pay_out", input: ASK });

    await run.reopen();
    await assert.rejects(run.perform("pay_out", ASK), NeedsReconciliationError);
    assert.equal(world.attempts.length, 0);
  });

  it("answers what the other one recorded where it asks for the same, and refuses anything else", async () => {
    const other = await takeOver(toolsFor(world));
    await other.perform("pay_out", ASK);
    await other.perform("pay_out", OTHER);
    await run.reopen();
    assert.deepEqual(await run.perform("pay_out", ASK), { refund_id: "re_1", amount_cents: 500 });
    await assert.rejects(run.perform("pay_out", ASK), DivergenceError);
    assert.equal(world.attempts.length, 2);
  });

  it("says that the run is over when the other one ended it", async () => {
    await (await takeOver()).complete("done");
    await run.reopen();
    await assert.rejects(run.perform("pay_out", ASK), RunEndedError);
  });

  it("takes its turn: it waits for the call under way, and what was held back may be asked for again", async () => {
    await takeOver();
    const lost = run.perform("pay_out", ASK);
    const waiting = run.perform("pay_out", OTHER);
    const reopened = run.reopen();
    await assert.rejects(lost, InvalidDriveTokenError);
    await assert.rejects(waiting, HeldBackError);
    await reopened;
    assert.deepEqual(await Promise.all([run.perform("pay_out", ASK), run.perform("pay_out", OTHER)]), [
      { refund_id: "re_1", amount_cents: 500 },
      { refund_id: "re_2", amount_cents: 900 },
    ]);
  });

  it("does not open a run for a caller who has given up", async () => {
    const token = run.driveToken;
    await assert.rejects(run.reopen({ signal: AbortSignal.abort(new Error("given up")) }), /given up/);
    assert.equal(run.driveToken, token);
    await run.perform("pay_out", ASK);
  });
});
