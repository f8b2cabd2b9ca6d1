import assert from "node:assert/strict";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runSalvor } from "../support/run-salvor.js";
import { spawnServer } from "../support/spawn-server.js";
import { SalvorClient } from "#salvor/client/index.js";
import { examineFolder } from "#salvor/store/examine-folder.js";
import { envelopeOf } from "#salvor/log/events.js";

const RUN = "11111111-0000-4000-8000-000000000000";
const root = await mkdtemp(join(tmpdir(), "salvor-doctor-"));
/** What a server leaves that was killed with a run in its journal, and what one leaves that was stopped. */
const killed = join(root, "killed");
const stopped = join(root, "stopped");

before(async () => {
  for (const dataDir of [killed, stopped]) {
    const server = await spawnServer({ dataDir });
    const client = new SalvorClient({ url: server.url });
    const { drive_token: driveToken } = await client.openRun({ runId: RUN });
    const payload = { agent_def_hash: "desk", input: null };
    const started = envelopeOf(RUN, 0, "2026-01-01T00:00:00Z", { kind: "RunStarted", payload });
    await client.appendEvents({ run: RUN, driveToken }, [started]);
    await (dataDir === killed ? server.kill() : server.stop());
  }
});
after(() => rm(root, { recursive: true, force: true }));

interface Report {
  readonly ok: boolean;
  readonly findings: {
    readonly state: string;
    readonly level: string;
    readonly says: string;
    readonly next: string;
  }[];
}

async function diagnosis(
  dir: string,
): Promise<Report & { readonly code: number | null; readonly said: string }> {
  const [json, text] = await Promise.all([
    runSalvor(["doctor", "--data", dir, "--json"]),
    runSalvor(["doctor", "--data", dir]),
  ]);
  assert.equal(json.code, text.code);
  assert.equal(json.stderr, "");
  return { ...(JSON.parse(json.stdout) as Report), code: json.code, said: text.stdout };
}

let copies = 0;
async function copyOf(dir: string, change: (copy: string) => Promise<unknown>): Promise<string> {
  const copy = join(root, `copy-${copies++}`);
  await cp(dir, copy, { recursive: true });
  await change(copy);
  return copy;
}

async function newestSegment(dir: string): Promise<string> {
  const names = await readdir(join(dir, "journal"));
  return join(dir, "journal", names.sort().at(-1) ?? "");
}

async function flip(file: string, find: string): Promise<void> {
  const bytes = await readFile(file);
  bytes[bytes.indexOf(find)]! ^= 1;
  await writeFile(file, bytes);
}

/** What is done to a folder, which state is named, at which level, and in which words. */
const CASES: readonly [state: string, level: string, make: () => Promise<string>, words: RegExp][] = [
  ["healthy", "ok", () => Promise.resolve(stopped), /healthy.*Next: salvor serve/s],
  [
    "stale_lock",
    "note",
    () => Promise.resolve(killed),
    /has ended without letting go.*takes the lock over by itself/s,
  ],
  ["missing", "problem", () => Promise.resolve(join(root, "nowhere")), /there is no folder.*--data/s],
  [
    "not_a_folder",
    "problem",
    async () => {
      await writeFile(join(root, "file"), "");
      return join(root, "file");
    },
    /is a file/,
  ],
  [
    "empty",
    "note",
    async () => {
      await mkdir(join(root, "empty"));
      return join(root, "empty");
    },
    /is empty/,
  ],
  [
    "not_salvor",
    "problem",
    async () => {
      await mkdir(join(root, "other"));
      await writeFile(join(root, "other", "holiday.jpg"), "");
      return join(root, "other");
    },
    /is not a salvor folder.*holiday\.jpg/s,
  ],
  [
    "foreign_lock",
    "problem",
    () => copyOf(stopped, (dir) => writeFile(join(dir, "lock"), lockOf("another-host"))),
    /cannot be seen from this machine.*--force/s,
  ],
  [
    "damaged_lock",
    "problem",
    () => copyOf(stopped, (dir) => writeFile(join(dir, "lock"), "{")),
    /lock is damaged.*rm /s,
  ],
  [
    "newer_format",
    "problem",
    () =>
      copyOf(stopped, async (dir) => {
        const file = join(dir, "store.json");
        await writeFile(file, (await readFile(file, "utf8")).replace('"format": 1', '"format": 9'));
      }),
    /format 9.*start the newer salvor/s,
  ],
  [
    "damaged",
    "problem",
    () => copyOf(stopped, (dir) => flip(join(dir, "store.json"), "from")),
    /store\.json, byte 0.*restore a backup/s,
  ],
  [
    "damaged",
    "problem",
    () => copyOf(killed, async (dir) => flip(await newestSegment(dir), "open")),
    /\.jsonl, byte \d+: a batch is damaged in run 1{8}.*salvor verify/s,
  ],
  [
    "torn_tail",
    "note",
    () =>
      copyOf(killed, async (dir) =>
        truncate(await newestSegment(dir), (await readFile(await newestSegment(dir))).length - 9),
      ),
    /from byte \d+ on.*nobody was told/s,
  ],
  [
    "index_missing",
    "note",
    () => copyOf(stopped, (dir) => rm(join(dir, "index"), { recursive: true })),
    /index is incomplete.*makes the index again/s,
  ],
];

describe("salvor doctor", () => {
  for (const [state, level, make, words] of CASES)
    it(`says ${state}, and what to do: ${words.source}`, async () => {
      const { code, ok, findings, said } = await diagnosis(await make());
      const found = findings.find((finding) => finding.state === state);
      assert.equal(found?.level, level, JSON.stringify(findings));
      assert.equal(ok, level !== "problem");
      assert.equal(code, ok ? 0 : 1);
      assert.match(said, words);
      for (const { next } of findings) assert.ok(said.includes(`Next: ${next}`));
    });

  it("says that the folder is not this user's to use", async () => {
    const dir = await copyOf(stopped, (copy) => chmod(copy, 0o000));
    const [finding] = (await examineAsAnother(dir)).findings;
    assert.equal(finding.state, "no_permission");
    assert.match(finding.says, /may not read and write/);
    assert.match(finding.next, /run salvor as the folder's owner/);
  });

  it("says at the start what was cut from the end of a journal", async () => {
    const dir = await copyOf(killed, async (copy) => {
      const file = await newestSegment(copy);
      await truncate(file, (await readFile(file)).length - 9);
    });
    const server = await spawnServer({ dataDir: dir });
    await server.said(/"bytes":\d+.*the end of the journal was cut/);
    await server.stop();
    assert.equal((await diagnosis(dir)).findings[0]?.state, "healthy");
  });
});

function lockOf(host: string): string {
  assert.notEqual(host, hostname());
  return JSON.stringify({
    host,
    boot: "b",
    pid: 1,
    started: "1",
    nonce: "00000000-0000-4000-8000-000000000000",
  });
}

/** Root may read anything, so that it has to be somebody else for a moment. */
async function examineAsAnother(dir: string) {
  if (process.geteuid?.() !== 0) return examineFolder(dir);
  process.seteuid?.(65_534);
  try {
    return await examineFolder(dir);
  } finally {
    process.seteuid?.(0);
  }
}
