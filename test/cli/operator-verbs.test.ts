import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { losingProxy } from "../support/losing-proxy.js";
import { runSalvor, type Finished } from "../support/run-salvor.js";
import { SALVOR_MAIN, spawnServer, type SpawnedServer } from "../support/spawn-server.js";
import { SalvorClient, type Drive } from "#salvor/client/index.js";
import { envelopeOf, type RunEvent } from "#salvor/log/events.js";

let server: SpawnedServer;
let client: SalvorClient;
before(async () => {
  server = await spawnServer();
  client = new SalvorClient({ url: server.url });
});
after(() => server.stop());

function salvor(...args: readonly string[]): Promise<Finished> {
  return runSalvor(args, { env: { SALVOR_URL: server.url } });
}

/** A run that holds these events. */
async function runOf(...events: readonly RunEvent[]): Promise<Drive> {
  const run = randomUUID();
  const { drive_token: driveToken } = await client.openRun({ runId: run });
  await client.appendEvents(
    { run, driveToken },
    [STARTED, ...events].map((event, seq) => envelopeOf(run, seq, "2026-01-01T00:00:00Z", event)),
  );
  return { run, driveToken };
}

function add({ run, driveToken }: Drive, seq: number, event: RunEvent): Promise<unknown> {
  return client.appendEvents({ run, driveToken }, [envelopeOf(run, seq, "2026-01-01T00:00:00Z", event)]);
}

const STARTED: RunEvent = { kind: "RunStarted", payload: { agent_def_hash: "desk", input: null } };
const COMPLETED: RunEvent = { kind: "RunCompleted", payload: { output: "paid" } };
const SUSPENDED: RunEvent = {
  kind: "Suspended",
  payload: {
    reason: "May 500 be paid?",
    input_schema: { type: "object", required: ["approved"], properties: { approved: { type: "boolean" } } },
  },
};
const OVER: RunEvent = {
  kind: "BudgetExceeded",
  payload: { budget: { kind: "steps", limit: 5 }, observed: 6 },
};

describe("salvor resume", () => {
  it("records the answer to a suspension, and says what to type next", async () => {
    const { run } = await runOf(SUSPENDED);
    const { code, stdout, stderr } = await salvor("resume", run, "--input", '{"approved":true}', "--yes");
    assert.equal(code, 0, stderr);
    assert.match(stderr, /May 500 be paid\?/);
    assert.match(stdout, new RegExp(`^Answered run ${run}: it is running\\..*\nNext: salvor watch ${run}`));
    const { event } = (await client.log(run)).at(-1)!;
    assert.deepEqual(event, { kind: "Resumed", payload: { input: { approved: true } } });
  });

  it("extends a budget", async () => {
    const { run } = await runOf(OVER);
    const { code, stdout } = await salvor(
      "resume",
      run,
      "--extend",
      "steps=20",
      "--extend",
      "cost_usd=1.5",
      "--yes",
      "--json",
    );
    assert.equal(code, 0);
    assert.equal((JSON.parse(stdout) as { outcome: string }).outcome, "resumed");
    const { event } = (await client.log(run)).at(-1)!;
    assert.deepEqual(event, {
      kind: "Resumed",
      payload: { input: { extend: { steps: 20, cost_usd: 1.5 } } },
    });
  });

  it("leaves a run parked whose answer does not fit, and says where it does not", async () => {
    const { run } = await runOf(SUSPENDED);
    const { code, stderr } = await salvor("resume", run, "--input", '{"approved":"yes"}', "--yes");
    assert.equal(code, 1);
    assert.match(stderr, /\$\.approved: expected/);
    assert.match(stderr, new RegExp(`\nNext: salvor history ${run}`));
    assert.equal((await client.run(run)).status.state, "suspended");
  });

  it("answers nothing for a run that waits for nothing, or for something else", async () => {
    const going = await runOf();
    const refused = await salvor("resume", going.run, "--input", "1", "--yes");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is running: it does not wait for an answer/);
    const suspended = await runOf(SUSPENDED);
    const extended = await salvor("resume", suspended.run, "--extend", "steps=1", "--yes");
    assert.equal(extended.code, 1);
    assert.match(extended.stderr, new RegExp(`Next: salvor resume ${suspended.run} --input JSON`));
    assert.equal((await client.log(suspended.run)).length, 2);
  });

  for (const args of [
    [],
    ["--input", "1", "--extend", "steps=1"],
    ["--extend", "miles=1"],
    ["--input", "{"],
    ["--input", "1"],
  ])
    it(`is called wrongly with ${JSON.stringify(args)}`, async () => {
      const { run } = await runOf(SUSPENDED);
      const consent = args.length === 2 && args[1] === "1" ? [] : ["--yes"];
      const { code, stderr } = await salvor("resume", run, ...args, ...consent);
      assert.equal(code, 2);
      assert.match(stderr, /\nNext: /);
      assert.equal((await client.log(run)).length, 2);
    });

  it("reads the log when the server's word is lost", async () => {
    const { run } = await runOf(SUSPENDED);
    const proxy = await losingProxy(server.url, async (post) => {
      await post.forward();
      post.lose();
    });
    try {
      const args = ["resume", run, "--input", '{"approved":false}', "--yes"];
      const { code, stderr } = await runSalvor(args, { env: { SALVOR_URL: proxy.url } });
      assert.equal(code, 0, stderr);
      assert.match(stderr, /the log holds this answer/);
    } finally {
      await proxy.close();
    }
  });
});

describe("salvor replay", () => {
  it("says what the log means", async () => {
    const { run } = await runOf(SUSPENDED);
    const { code, stdout } = await salvor("replay", run);
    assert.equal(code, 0);
    assert.match(stdout, /^status {2}suspended$/m);
    assert.match(stdout, /^next {4}#2$/m);
    const asJson = JSON.parse((await salvor("replay", run, "--json")).stdout) as { next_seq: number };
    assert.equal(asJson.next_seq, 2);
  });
});

describe("salvor watch", () => {
  /** A `salvor watch` in a process of its own, line by line. */
  function watching(...args: readonly string[]) {
    const env = { ...process.env, SALVOR_URL: server.url };
    const child = spawn(process.execPath, [SALVOR_MAIN, "watch", ...args], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<string> => String((await lines.next()).value);
    return { child, next, ended: once(child, "close") as Promise<[number | null]> };
  }

  it("tells each event once it is recorded, until the run is over", async () => {
    const drive = await runOf();
    const { next, ended } = watching(drive.run);
    assert.match(await next(), /#0 {2}the run starts/);
    await add(drive, 1, SUSPENDED);
    assert.match(await next(), /#1 {2}the run is suspended: May 500 be paid\?/);
    await client.resume(drive.run, { seq: 1, input: { approved: true } });
    assert.match(await next(), /#2 {2}the run is resumed/);
    await add(drive, 3, COMPLETED);
    assert.match(await next(), /#3 {2}the run is completed with "paid"/);
    assert.deepEqual(await ended, [0, null]);
  });

  it("begins where it is told to, as JSON for a script", async () => {
    const { run } = await runOf(SUSPENDED);
    await client.abandon(run);
    const { code, stdout } = await salvor("watch", run, "--from", "1", "--json");
    assert.equal(code, 0);
    const kinds = stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { event: RunEvent }).event.kind);
    assert.deepEqual(kinds, ["Suspended", "RunAbandoned"]);
  });

  it("ends with Ctrl-C", async () => {
    const { run } = await runOf();
    const { child, next, ended } = watching(run);
    await next();
    child.kill("SIGINT");
    assert.deepEqual(await ended, [0, null]);
  });

  it("says that there is no such run", async () => {
    const { code, stderr } = await salvor("watch", randomUUID());
    assert.equal(code, 1);
    assert.match(stderr, /unknown_run/);
  });
});

describe("salvor waiting", () => {
  it("exits 3 while a run waits for a person, and 0 when none waits for so long", async () => {
    const alone = await spawnServer();
    try {
      const env = { SALVOR_URL: alone.url };
      const none = await runSalvor(["waiting"], { env });
      assert.deepEqual([none.code, none.stdout], [0, "Nothing waits for a person.\n"]);

      const other = new SalvorClient({ url: alone.url });
      const run = randomUUID();
      const { drive_token: driveToken } = await other.openRun({ runId: run });
      const events = [STARTED, SUSPENDED].map((event, seq) =>
        envelopeOf(run, seq, "2026-01-01T00:00:00Z", event),
      );
      await other.appendEvents({ run, driveToken }, events);
      const one = await runSalvor(["waiting"], { env });
      assert.equal(one.code, 3);
      assert.match(one.stdout, new RegExp(`^${run} +suspended +\\d+[smhd]$`, "m"));
      assert.match(one.stdout, new RegExp(`^Next: salvor history ${run}`, "m"));
      assert.equal((await runSalvor(["waiting", "--older-than", "365000d"], { env })).code, 0);
      const json = await runSalvor(["waiting", "--json"], { env });
      assert.equal(json.code, 3);
      assert.deepEqual(
        (JSON.parse(json.stdout) as { waiting: { run: string }[] }).waiting.map((each) => each.run),
        [run],
      );
    } finally {
      await alone.stop();
    }
  });

  it("tells a server that cannot be asked from one where nobody waits", async () => {
    assert.equal((await salvor("waiting", "--url", "http://127.0.0.1:9")).code, 1);
    assert.equal((await salvor("waiting", "--older-than", "soon")).code, 2);
  });
});

describe("salvor completion bash", () => {
  /** What bash offers for a line, the last word of it unfinished. */
  function offered(...words: readonly string[]): readonly string[] {
    const line = `
      salvor() { "${process.execPath}" "${SALVOR_MAIN}" "$@"; }
      source <(salvor completion bash)
      COMP_WORDS=(salvor ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}
      _salvor; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { ...process.env, SALVOR_URL: server.url };
    const { stdout, stderr } = spawnSync("bash", ["-c", line], { encoding: "utf8", env });
    assert.equal(stderr, "");
    return stdout.split("\n").filter((each) => each !== "");
  }

  it("offers verbs, options, values and the ids of runs", async () => {
    const { run } = await runOf(SUSPENDED);
    assert.deepEqual(offered("res"), ["resolve", "resume"]);
    assert.deepEqual(offered("help", "his"), ["history"]);
    assert.deepEqual(offered("resume", run, "--ex"), ["--extend"]);
    assert.deepEqual(offered("list", "--group", ""), ["waiting", "progress", "terminal"]);
    assert.deepEqual(offered("completion", "z"), ["zsh"]);
    assert.deepEqual(offered("history", run.slice(0, 13)), [run]);
    assert.deepEqual(offered("history", "--url", "http://127.0.0.1:9", ""), []);
  });
});

it("zsh and fish get scripts too, and no other shell", async () => {
  assert.match((await salvor("completion", "zsh")).stdout, /^#compdef salvor\n/);
  assert.match((await salvor("completion", "fish")).stdout, /^complete -c salvor /m);
  assert.equal((await salvor("completion", "tcsh")).code, 2);
});
