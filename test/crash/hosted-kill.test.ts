import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { watch } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { spawnServer, type SpawnedServer } from "../support/spawn-server.js";
import { toolModule } from "../support/tool-module.js";

const SOAK = process.env.SALVOR_SOAK === "1";
/** Kills of each kind of tool. */
const KILLS = SOAK ? 40 : 3;
/** Kills at any moment, under load. */
const RANDOM_KILLS = SOAK ? 100 : 6;
const RUNS = 8;

/** Every tool writes a line before it does anything; what it does then is in the hands of a file. */
const TOOLS = `
  const [, , folder] = [0, 0, process.env.HOSTED_KILL_FOLDER];
  const note = (ctx, input) => appendFileSync(folder + "/effects", JSON.stringify({ run: ctx.runId, seq: ctx.seq, key: ctx.idempotencyKey, attempt: ctx.attempt }) + "\\n");
  const call = (ctx, input) => {
    note(ctx, input);
    return existsSync(folder + "/hold") ? never : { done: ctx.seq };
  };
  for (const effect of ["read", "idempotent", "write"]) add(effect, effect, call);
  add("order", "write", call, { idempotencyKey: "order" });
`;

interface Effect {
  readonly run: string;
  readonly seq: number;
  readonly key: string;
  readonly attempt: number;
}

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "salvor-hosted-kill-"));
  await writeFile(join(folder, "tools.js"), toolModule(TOOLS));
});
after(() => rm(folder, { recursive: true, force: true }));

async function effects(): Promise<readonly Effect[]> {
  const text = await readFile(join(folder, "effects"), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Effect);
}

/** Resolves once so many calls have begun. */
async function begun(count: number): Promise<void> {
  const changes = watch(folder);
  try {
    for (;;) {
      const changed = new Promise((resolve) => changes.once("change", resolve));
      if ((await effects()).length >= count) return;
      await changed;
    }
  } finally {
    changes.close();
  }
}

function start(): Promise<SpawnedServer> {
  return spawnServer({
    dataDir: join(folder, "data"),
    args: ["--tools", join(folder, "tools.js"), "--log-level", "silent"],
    env: { HOSTED_KILL_FOLDER: folder },
  });
}

interface Answer {
  readonly status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
}

async function post(url: string, path: string, body: unknown, drive = ""): Promise<Answer> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { connection: "close", ...(drive !== "" && { "x-drive-token": drive }) },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: await response.json() };
}

/** Opens a run and starts it. */
async function open(url: string): Promise<{ readonly run: string; readonly token: string }> {
  const { json } = await post(url, "/v1/client-runs", {});
  const { run, drive_token: token } = json as { run: string; drive_token: string };
  const event = { kind: "RunStarted", payload: { agent_def_hash: "sha256:a", input: null } };
  const envelope = { run_id: run, seq: 0, schema_version: 1, event };
  const { status } = await post(url, `/v1/client-runs/${run}/events`, { events: [envelope] }, token);
  assert.equal(status, 200);
  return { run, token };
}

describe("a server that is killed in the middle of a tool", () => {
  for (const effect of ["read", "idempotent", "write"] as const)
    it(`${effect === "write" ? "leaves a write to a person, who settles it" : `performs ${effect === "read" ? "a read" : "an idempotent call again, under its key,"} when it is asked again`} (${KILLS} kills)`, async () => {
      let server = await start();
      const { run, token } = await open(server.url);
      const step = (seq: number): Promise<Answer> =>
        post(server.url, `/v1/client-runs/${run}/tool-step`, { seq, tool: effect, input: { seq } }, token);
      try {
        for (let kill = 0; kill < KILLS; kill += 1) {
          const seq = 1 + 2 * kill;
          await writeFile(join(folder, "hold"), "");
          const before = (await effects()).length;
          const lost = step(seq).catch(() => "lost");
          await begun(before + 1);
          await server.kill();
          assert.equal(await lost, "lost");
          await rm(join(folder, "hold"));
          server = await start();

          const again = await step(seq);
          const made = (await effects()).slice(before);
          if (effect === "write") {
            assert.deepEqual([again.status, again.json.error.code], [409, "needs_reconciliation"]);
            assert.equal(again.json.error.details.intent.seq, seq);
            assert.equal(made.length, 1);
            const settled = await post(server.url, `/v1/runs/${run}/resolve`, {
              seq,
              output: { done: "by hand" },
            });
            assert.equal(settled.status, 200);
            assert.deepEqual((await step(seq)).json, { output: { done: "by hand" } });
          } else {
            assert.deepEqual(again.json, { output: { done: seq } });
            assert.equal(made.length, 2);
            assert.deepEqual(made[0], made[1]);
          }
          assert.equal((await effects()).length, before + made.length);
        }
      } finally {
        await server.stop();
      }
    });
});

describe("a server that is killed at any moment while eight runs have it perform their writes", () => {
  it(`performs none of them twice, and every one is answered or left to a person (${RANDOM_KILLS} kills)`, async (context) => {
    let up = start();
    let acknowledged = 0;
    let awaited: { readonly count: number; readonly reached: () => void } | undefined;
    let stopping = false;
    let byHand = 0;

    /** Sends a request until it is answered. */
    const surely = async (path: string, body: unknown, drive = ""): Promise<Answer> => {
      for (;;) {
        const { url } = await up;
        try {
          return await post(url, path, body, drive);
        } catch {
          // Lost with the server.
        }
      }
    };
    const drive = async (run: string, token: string): Promise<void> => {
      for (let seq = 1; !stopping; seq += 2) {
        const body = { seq, tool: "order", input: { order: `${run} ${seq}` } };
        const { status, json } = await surely(`/v1/client-runs/${run}/tool-step`, body, token);
        if (status === 409) {
          assert.equal(json.error.code, "needs_reconciliation");
          const decision = { seq, output: { done: "by hand" } };
          const decided = await surely(`/v1/runs/${run}/resolve`, decision);
          // Sent twice, when its answer was lost, it finds the call settled.
          assert.ok(
            decided.status === 200 || decided.json.error.code === "wrong_state",
            JSON.stringify(decided),
          );
          byHand += 1;
        } else {
          assert.equal(status, 200, JSON.stringify(json));
        }
        acknowledged += 1;
        if (awaited !== undefined && acknowledged >= awaited.count) awaited.reached();
      }
    };
    try {
      const before = (await effects()).length;
      const { url } = await up;
      const runs = await Promise.all(Array.from({ length: RUNS }, () => open(url)));
      const driving = Promise.all(runs.map(({ run, token }) => drive(run, token)));
      for (let kill = 0; kill < RANDOM_KILLS; kill += 1) {
        const more = new Promise<void>((reached) => {
          awaited = { count: acknowledged + randomInt(1, 60), reached };
        });
        await Promise.race([more, driving]);
        const server = await up;
        up = server.kill().then(start);
        await up;
      }
      stopping = true;
      await driving;

      const made = (await effects()).slice(before);
      const names = made.map(({ run, seq }) => `${run} ${seq}`);
      assert.equal(new Set(names).size, names.length, "a write was performed twice");
      for (const { run } of runs) {
        const response = await fetch(`${(await up).url}/v1/client-runs/${run}/log`);
        const { log } = (await response.json()) as { log: { event: { kind: string; payload: never } }[] };
        assert.equal(log.at(-1)?.event.kind, "ToolCallCompleted");
        for (const [at, { event }] of log.entries()) {
          if (event.kind !== "ToolCallCompleted") continue;
          const { output } = event.payload as { output: { done: unknown } };
          // What is recorded as performed was, and nothing that was is unknown to the log.
          if (output.done === at - 1) assert.ok(names.includes(`${run} ${at - 1}`));
        }
        const intents = log.flatMap(({ event }, at) =>
          event.kind === "ToolCallRequested" ? [`${run} ${at}`] : [],
        );
        for (const name of names.filter((each) => each.startsWith(run)))
          assert.ok(intents.includes(name), name);
      }
      context.diagnostic(
        `${RANDOM_KILLS} kills, ${made.length} writes performed, ${byHand} settled by hand, none twice`,
      );
    } finally {
      stopping = true;
      await (await up).stop();
    }
  });
});
