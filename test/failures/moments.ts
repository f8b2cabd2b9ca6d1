import assert from "node:assert/strict";
import {
  DivergenceError,
  SuspendedError,
  TransportError,
  UndeliveredReportError,
  UnknownOutcomeError,
  type ClientRun,
} from "#salvor/client/index.js";
import { suspend } from "#salvor/contract/tool-outcome.js";
import type { Case } from "./support/desk.js";

/** Lets something fail in the middle of a call; answers the instance that asks again, or nothing where that is another process. */
type Moment = (one: Case) => Promise<ClientRun | undefined>;

const SETTLED = { refund_id: "re_8", amount_cents: 500 };

/** Each moment at which something fails, by the name of its row in docs/failures.md and of its test. */
export const MOMENTS: Readonly<Record<string, Moment>> = {
  "a client that dies before its intent": () => Promise.resolve(undefined),

  "a client that dies between its intent and the effect": async (one) => {
    await one.intentOnly();
    return undefined;
  },

  "a client that dies between the effect and its report": async (one) => {
    one.desk.proxy.harm("-completion", "request lost");
    assert.ok((await one.attempt()) instanceof UndeliveredReportError);
    return undefined;
  },

  "a client that dies after its report was recorded, before it heard so": async (one) => {
    one.desk.proxy.harm("-completion", "answer lost");
    assert.ok((await one.attempt()) instanceof UndeliveredReportError);
    return undefined;
  },

  "a client that dies after its report was acknowledged": async (one) => {
    assert.equal(await one.attempt(), undefined);
    return undefined;
  },

  "an intent that does not arrive": async (one) => {
    one.desk.proxy.harm("-intent", "request lost");
    assert.ok((await one.attempt()) instanceof TransportError);
    return one.first;
  },

  "an intent whose answer is lost": async (one) => {
    one.desk.proxy.harm("-intent", "answer lost");
    assert.ok((await one.attempt()) instanceof TransportError);
    return one.first;
  },

  "a report that does not arrive": async (one) => {
    one.desk.proxy.harm("-completion", "request lost");
    assert.ok((await one.attempt()) instanceof UndeliveredReportError);
    return one.first;
  },

  "a report whose answer is lost": async (one) => {
    one.desk.proxy.harm("-completion", "answer lost");
    assert.ok((await one.attempt()) instanceof UndeliveredReportError);
    return one.first;
  },

  "an effect whose own answer is lost": async (one) => {
    one.world.next(() => {
      throw new Error("the line to the provider was cut");
    });
    const error = await one.attempt();
    // What may be tried again was, within the call.
    if (error === undefined) return undefined;
    assert.ok(error instanceof UnknownOutcomeError);
    return one.first;
  },

  "a server that is killed before the intent": async (one) => {
    await one.desk.killServer();
    return one.first;
  },

  "a server that is killed after it recorded the intent, before it said so": async (one) => {
    one.desk.proxy.harm("-intent", "answer lost");
    assert.ok((await one.attempt()) instanceof TransportError);
    await one.desk.killServer();
    return one.first;
  },

  "a server that is killed while the tool runs": async (one) => {
    one.world.next(async () => {
      await one.desk.killServer();
      return SETTLED;
    });
    const error = await one.attempt();
    // The connection of the report may be new already.
    if (error === undefined) return undefined;
    assert.ok(error instanceof UndeliveredReportError);
    return one.first;
  },

  "a server that is killed after it recorded the report, before it said so": async (one) => {
    one.desk.proxy.harm("-completion", "answer lost");
    assert.ok((await one.attempt()) instanceof UndeliveredReportError);
    await one.desk.killServer();
    return one.first;
  },

  "a client and a server that are both killed between the intent and the effect": async (one) => {
    await one.intentOnly();
    await one.desk.killServer();
    return undefined;
  },

  "a client and a server that are both killed between the effect and the report": async (one) => {
    one.desk.proxy.harm("-completion", "request lost");
    assert.ok((await one.attempt()) instanceof UndeliveredReportError);
    await one.desk.killServer();
    return undefined;
  },

  "another process that takes the run while the tool runs": async (one) => {
    await superseded(one);
    return undefined;
  },

  "a client that takes its run back after that": async (one) => {
    await superseded(one);
    await one.first.reopen();
    return one.first;
  },

  "a person who settles the call while its tool runs": async (one) => {
    one.world.next(async () => {
      await one.desk.direct.resolve(one.runId, { seq: 1, output: SETTLED });
      return { refund_id: "re_1", amount_cents: 500 };
    });
    assert.ok((await one.attempt()) instanceof DivergenceError);
    return one.first;
  },

  "a client that dies while its call is suspended": async (one) => {
    one.world.next(() => suspend("Refund 500 cents?", { type: "object", required: ["refund_id"] }));
    assert.ok((await one.attempt()) instanceof SuspendedError);
    return undefined;
  },

  "a server that is killed while a call is suspended": async (one) => {
    one.world.next(() => suspend("Refund 500 cents?", { type: "object", required: ["refund_id"] }));
    assert.ok((await one.attempt()) instanceof SuspendedError);
    await one.desk.killServer();
    return one.first;
  },
};

async function superseded(one: Case): Promise<void> {
  one.world.next(async () => {
    await one.desk.direct.openRun({ runId: one.runId });
    return { refund_id: "re_1", amount_cents: 500 };
  });
  assert.ok((await one.attempt()) instanceof UndeliveredReportError);
}
