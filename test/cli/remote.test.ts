import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { losingProxy, type ProxiedPost } from "../support/losing-proxy.js";
import { runSalvor, type Finished } from "../support/run-salvor.js";
import { spawnServer, type SpawnedServer } from "../support/spawn-server.js";
import { BANK_PAYOUT, REFUND_CARD, toolFiles, type ToolFiles } from "../support/tool-files.js";
import { SalvorClient, type Drive } from "#salvor/client/index.js";
import { envelopeOf } from "#salvor/log/events.js";

const env = { SALVOR_TEST_CLIENT: "client-secret", SALVOR_TEST_OPERATOR: "operator-secret" };
const REFUND = { order_id: "A-1", amount_cents: 500 };
const RECEIPT = { refund_id: "re_1", amount_cents: 500 };

let files: ToolFiles;
let server: SpawnedServer;
let client: SalvorClient;
before(async () => {
  files = await toolFiles();
  await files.write("refund-card.toml", REFUND_CARD);
  await files.write("bank-payout.toml", BANK_PAYOUT);
  const tokens = ["--auth-token", "SALVOR_TEST_CLIENT", "--operator-token", "SALVOR_TEST_OPERATOR"];
  server = await spawnServer({ args: ["--client-tool", files.folder, ...tokens], env });
  client = new SalvorClient({ url: server.url, token: "client-secret" });
});
after(async () => {
  await server.stop();
  await files.remove();
});

const AS_CLIENT = ["--auth-token", "SALVOR_TEST_CLIENT"];
const AS_OPERATOR = ["--operator-token", "SALVOR_TEST_OPERATOR"];

function salvor(...args: readonly string[]): Promise<Finished> {
  return runSalvor(args, { env: { ...env, SALVOR_URL: server.url } });
}

/** A run that has started, and the right to drive it. */
async function startedRun(): Promise<Drive> {
  const run = randomUUID();
  const { drive_token: driveToken } = await client.openRun({ runId: run });
  const payload = { agent_def_hash: "desk", input: { order: "A-1" }, labels: { desk: "frankfurt" } };
  await client.appendEvents({ run, driveToken }, [
    envelopeOf(run, 0, "2026-01-01T00:00:00Z", { kind: "RunStarted", payload }),
  ]);
  return { run, driveToken };
}

/** A run whose refund is open at position 1. */
async function openRefund(): Promise<Drive> {
  const drive = await startedRun();
  await client.toolIntent(drive, { seq: 1, tool: "refund_card", input: REFUND });
  return drive;
}

describe("salvor list", () => {
  it("prints a line a run with its status and labels", async () => {
    const { run } = await startedRun();
    const { code, stdout, stderr } = await salvor("list", ...AS_CLIENT);
    assert.equal(code, 0);
    assert.equal(stderr, "");
    assert.match(stdout, /^RUN +STATUS +WAITS FOR +EVENTS +AGE +LAST +LABELS$/m);
    assert.match(stdout, new RegExp(`^${run} +running +its driver +1 +\\d+s +\\d+s +desk=frankfurt$`, "m"));
    assert.doesNotMatch(stdout, /(?!\n)\p{Cc}/u);
  });

  it("marks what waits for a person, and lists only that on demand", async () => {
    const healthy = await openRefund();
    const refused = await openRefund();
    await assert.rejects(client.toolCompletion(refused, 1, { output: { ...RECEIPT, amount_cents: 1 } }), {
      status: 403,
    });
    const all = await salvor("list", ...AS_CLIENT);
    assert.match(all.stdout, new RegExp(`^${refused.run} +needs_reconciliation +a person `, "m"));
    assert.match(all.stdout, new RegExp(`^${healthy.run} +needs_reconciliation +its driver `, "m"));
    const waiting = await salvor("list", "--group", "waiting", ...AS_CLIENT);
    assert.match(waiting.stdout, new RegExp(refused.run));
    assert.doesNotMatch(waiting.stdout, new RegExp(healthy.run));
  });

  it("prints the server's answer for a script, bounded and filtered", async () => {
    await openRefund();
    const args = ["list", "--json", "--status", "needs_reconciliation", "--limit", "1", ...AS_CLIENT];
    const { code, stdout } = await salvor(...args);
    assert.equal(code, 0);
    const { runs } = JSON.parse(stdout) as { runs: { status: { state: string } }[] };
    assert.deepEqual(
      runs.map((run) => run.status.state),
      ["needs_reconciliation"],
    );
  });

  it("says that there is nothing, and exits 0", async () => {
    const { code, stdout, stderr } = await salvor("list", "--status", "budget_exceeded", ...AS_CLIENT);
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "", stderr: "No such runs.\n" });
  });
});

describe("salvor history", () => {
  it("tells the story, refused reports, what the run waits for, and what to type next", async () => {
    const { run, driveToken } = await openRefund();
    await assert.rejects(
      client.toolCompletion({ run, driveToken }, 1, { output: { ...RECEIPT, amount_cents: 1 } }),
    );
    const { code, stdout } = await salvor("history", run, ...AS_CLIENT);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^Run ${run}: needs_reconciliation, 2 events$`, "m"));
    assert.match(stdout, /^\S+Z {2}#0 {2}the run starts with input \{"order":"A-1"\}/m);
    assert.match(
      stdout,
      /^\S+Z {2}#1 {2}refund_card is asked for with .*"amount_cents":500.* \(write, key sha256:\w+…, by the client\)$/m,
    );
    assert.match(stdout, /refused {2}a report on #1: .*"amount_cents":1.*require_equal/);
    assert.match(stdout, new RegExp(`\\nNext: salvor resolve ${run} .*--url ${server.url}`));
  });

  it("prints the run and every envelope for a script", async () => {
    const { run } = await openRefund();
    const { code, stdout } = await salvor("history", run, "--json", ...AS_CLIENT);
    assert.equal(code, 0);
    const said = JSON.parse(stdout) as { run: unknown; log: unknown };
    assert.deepEqual(said.run, await client.run(run));
    assert.deepEqual(said.log, await client.log(run));
  });

  it("prints a random number with all its digits, also for a script", async () => {
    const drive = await startedRun();
    await client.appendEvents(drive, [
      envelopeOf(drive.run, 1, "2026-01-01T00:00:00Z", {
        kind: "RandomObserved",
        payload: { value: 18446744073709551615n },
      }),
    ]);
    for (const more of [[], ["--json"]])
      assert.match(
        (await salvor("history", drive.run, ...more, ...AS_CLIENT)).stdout,
        /18446744073709551615/,
      );
  });

  it("never lets what a client wrote move the operator's cursor", async () => {
    const drive = await startedRun();
    const input = { ...REFUND, order_id: `\u001b[1A\u202e\n${randomUUID()}` };
    await client.toolIntent(drive, { seq: 1, tool: "refund_card", input });
    const { stdout } = await salvor("history", drive.run, ...AS_CLIENT);
    assert.doesNotMatch(stdout, /(?!\n)\p{Cc}|\p{Cf}/u);
    assert.match(stdout, /\\u202e/);
  });

  it("of an unknown run fails with the code, and says where to look", async () => {
    const { code, stdout, stderr } = await salvor("history", randomUUID(), ...AS_CLIENT);
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr, /unknown_run/);
    assert.match(stderr, /\nNext: salvor list --url /);
  });
});

describe("salvor resolve", () => {
  it("settles the call that it shows, and says who did", async () => {
    const { run } = await openRefund();
    const args = ["--output", JSON.stringify(RECEIPT), "--operator", "ada", "--note", "seen", "--yes"];
    const { code, stdout, stderr } = await salvor("resolve", run, ...args, ...AS_OPERATOR);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /tool +refund_card \(write\)/);
    assert.match(stderr, /key +sha256:[0-9a-f]{64}$/m);
    assert.match(stderr, /"amount_cents": 500/);
    assert.match(stdout, new RegExp(`^Settled refund_card #1 of run ${run}: the run is running\\.$`, "m"));
    const [, , settled] = await client.log(run);
    assert.deepEqual(settled?.event, {
      kind: "ToolCallCompleted",
      payload: { seq: 1, output: RECEIPT, resolved_by: { operator: "ada", note: "seen" } },
    });
  });

  it("reads the output from a file or standard input, and answers a script in JSON alone", async () => {
    const file = await files.write("receipt.json", JSON.stringify(RECEIPT));
    const one = await openRefund();
    const first = await salvor("resolve", one.run, "--output", `@${file}`, "--yes", "--json", ...AS_OPERATOR);
    assert.deepEqual(JSON.parse(first.stdout), {
      run: one.run,
      resolved: true,
      status: { state: "running" },
    });
    assert.equal(first.stderr, "");

    const two = await openRefund();
    const second = await runSalvor(["resolve", two.run, "--output", "-", "--yes", ...AS_OPERATOR], {
      env: { ...env, SALVOR_URL: server.url },
      stdin: JSON.stringify(RECEIPT),
    });
    assert.equal(second.code, 0, second.stderr);
  });

  it("records that a call was not performed", async () => {
    const { run } = await openRefund();
    const note = ["--note", "not in the ledger"];
    const { code } = await salvor("resolve", run, "--not-performed", ...note, "--yes", ...AS_OPERATOR);
    assert.equal(code, 0);
    const { stdout } = await salvor("history", run, ...AS_CLIENT);
    assert.match(
      stdout,
      /refund_card #1 was not performed \(write, settled by a person, note: not in the ledger\)/,
    );
  });

  it("is refused what the operator declared against, with every violation, and nothing is recorded", async () => {
    const { run } = await openRefund();
    const wrong = await salvor("resolve", run, "--output", '{"refund_id":7}', "--yes", ...AS_OPERATOR);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /bad_request/);
    assert.match(wrong.stderr, /\n {2}\$.*refund_id/);
    assert.match(wrong.stderr, /\nNext: /);
    assert.equal((await client.log(run)).length, 2);
  });

  it("sets the rules aside with --override and a note", async () => {
    const { run } = await openRefund();
    const args = ["--output", '"by hand"', "--override", "--note", "paid by cheque", "--yes"];
    const { code, stderr } = await salvor("resolve", run, ...args, ...AS_OPERATOR);
    assert.equal(code, 0, stderr);
  });

  it("needs the operator token, and says so", async () => {
    const { run } = await openRefund();
    const { code, stderr } = await salvor("resolve", run, "--not-performed", "--yes", ...AS_CLIENT);
    assert.equal(code, 1);
    assert.match(stderr, /operator_required/);
    assert.match(stderr, /\nNext: .*--operator-token/);
    assert.equal((await client.log(run)).length, 2);
  });

  it("does nothing without --yes where nobody can be asked", async () => {
    const { run } = await openRefund();
    const { code, stderr } = await salvor("resolve", run, "--not-performed", ...AS_OPERATOR);
    assert.equal(code, 2);
    assert.match(stderr, /no terminal/);
    assert.match(stderr, /\nNext: .*--yes/);
    assert.equal((await client.log(run)).length, 2);
  });

  it("of a run without an open call says what the run is", async () => {
    const { run } = await startedRun();
    const { code, stderr } = await salvor("resolve", run, "--not-performed", "--yes", ...AS_OPERATOR);
    assert.equal(code, 1);
    assert.match(stderr, /is running: no call of it is open/);
  });
});

describe("salvor abandon", () => {
  it("ends a run and names the write that nobody settled", async () => {
    const drive = await startedRun();
    await client.toolIntent(drive, { seq: 1, tool: "bank_payout", input: { iban: "DE1", amount_cents: 7 } });
    const reason = ["--reason", "customer withdrew"];
    const { code, stdout, stderr } = await salvor("abandon", drive.run, ...reason, "--yes", ...AS_OPERATOR);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /bank_payout is a write that may have happened/);
    assert.match(stdout, new RegExp(`^Abandoned run ${drive.run} at #2\\.$`, "m"));
    const history = await salvor("history", drive.run, ...AS_CLIENT);
    assert.match(history.stdout, /abandoned: customer withdrew \(bank_payout #1 was never settled\)/);
  });

  it("answers a script in JSON alone", async () => {
    const { run } = await startedRun();
    const { code, stdout, stderr } = await salvor("abandon", run, "--yes", "--json", ...AS_OPERATOR);
    assert.equal(code, 0);
    assert.equal(stderr, "");
    assert.deepEqual(JSON.parse(stdout), {
      run,
      abandoned: true,
      appended_seq: 1,
      status: { state: "abandoned" },
    });
  });

  it("of a run that is over fails and changes nothing", async () => {
    const { run } = await startedRun();
    await salvor("abandon", run, "--yes", ...AS_OPERATOR);
    const { code, stderr } = await salvor("abandon", run, "--yes", ...AS_OPERATOR);
    assert.equal(code, 1);
    assert.match(stderr, /abandoned already/);
    assert.equal((await client.log(run)).length, 2);
  });

  it("does nothing without --yes where nobody can be asked", async () => {
    const { run } = await startedRun();
    assert.equal((await salvor("abandon", run, ...AS_OPERATOR)).code, 2);
    assert.equal((await client.log(run)).length, 1);
  });
});

describe("a decision on its way", () => {
  /** Runs a verb through a proxy that does something with the POST of its decision. */
  async function through(handle: (post: ProxiedPost) => Promise<void>, ...args: readonly string[]) {
    const proxy = await losingProxy(server.url, handle);
    try {
      return await runSalvor([...args, "--url", proxy.url, "--yes", ...AS_OPERATOR], { env });
    } finally {
      await proxy.close();
    }
  }

  it("whose answer is lost after it was recorded is found in the log: exit 0", async () => {
    const { run } = await openRefund();
    const lose = async (post: ProxiedPost) => {
      assert.equal((await post.forward()).status, 200);
      post.lose();
    };
    const output = JSON.stringify(RECEIPT);
    const { code, stderr } = await through(lose, "resolve", run, "--output", output);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /The answer was lost; the log holds this decision\./);

    const other = await startedRun();
    const abandoned = await through(lose, "abandon", other.run, "--reason", "gone");
    assert.equal(abandoned.code, 0, abandoned.stderr);
    const third = await openRefund();
    const notPerformed = await through(lose, "resolve", third.run, "--not-performed");
    assert.equal(notPerformed.code, 0, notPerformed.stderr);
  });

  it("that never arrived is said not to be recorded: exit 1, and nothing is sent twice", async () => {
    const { run } = await openRefund();
    let sent = 0;
    const drop = (post: ProxiedPost): Promise<void> => {
      sent += 1;
      post.lose();
      return Promise.resolve();
    };
    const { code, stderr } = await through(drop, "resolve", run, "--output", JSON.stringify(RECEIPT));
    assert.equal(code, 1);
    assert.match(stderr, /not recorded/);
    assert.match(stderr, /\nNext: salvor history /);
    assert.equal((await through(drop, "abandon", run)).code, 1);
    assert.equal(sent, 2);
    assert.equal((await client.log(run)).length, 2);
  });

  it("that somebody else forestalled, its answer lost, is said to be settled otherwise: exit 1", async () => {
    const { run } = await openRefund();
    const operator = new SalvorClient({ url: server.url, operatorToken: "operator-secret" });
    const forestall = async (post: ProxiedPost) => {
      await operator.resolve(run, { seq: 1, output: { ...RECEIPT, refund_id: "re_2" } });
      post.lose();
    };
    const { code, stderr } = await through(forestall, "resolve", run, "--output", JSON.stringify(RECEIPT));
    assert.equal(code, 1);
    assert.match(stderr, /settled otherwise/);
  });

  it("never settles another call than the one that was shown", async () => {
    const drive = await openRefund();
    const moveOn = async (post: ProxiedPost) => {
      await client.toolCompletion(drive, 1, { output: RECEIPT });
      await client.toolIntent(drive, {
        seq: 3,
        tool: "bank_payout",
        input: { iban: "DE1", amount_cents: 9 },
      });
      await post.answer(await post.forward());
    };
    const { code, stderr } = await through(moveOn, "resolve", drive.run, "--not-performed");
    assert.equal(code, 1);
    assert.match(stderr, /wrong_state/);
    assert.equal((await client.log(drive.run)).length, 4);
  });

  it("never ends a run in another state than the one that was shown", async () => {
    const drive = await openRefund();
    const moveOn = async (post: ProxiedPost) => {
      await client.toolCompletion(drive, 1, { output: RECEIPT });
      await post.answer(await post.forward());
    };
    const { code, stderr } = await through(moveOn, "abandon", drive.run);
    assert.equal(code, 1);
    assert.match(stderr, /wrong_state/);
    assert.equal((await client.log(drive.run)).length, 3);
  });
});

describe("a server that cannot be spoken to", () => {
  it("is named, with what to do", async () => {
    const gone = await spawnServer();
    await gone.stop();
    const { code, stderr } = await runSalvor(["list", "--url", gone.url]);
    assert.equal(code, 1);
    assert.ok(stderr.includes(gone.url));
    assert.match(stderr, /ECONNREFUSED/);
    assert.match(stderr, /\nNext: .*salvor serve/);
  });

  it("that asks for a token is answered with how to name one", async () => {
    const { code, stderr } = await salvor("list");
    assert.equal(code, 1);
    assert.match(stderr, /unauthorized/);
    assert.match(stderr, /\nNext: .*--auth-token/);
  });

  it("is not asked at all when a named token is not there", async () => {
    const args = ["list", "--url", server.url, "--auth-token", "SALVOR_TEST_NONE"];
    const { code, stderr } = await runSalvor(args, { env: { SALVOR_TEST_NONE: undefined } });
    assert.equal(code, 1);
    assert.match(stderr, /SALVOR_TEST_NONE, which is not set/);
  });
});
