import { strict as assert } from "node:assert";
import { cp, mkdtemp, readdir, readFile, rm, truncate, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, describe, it } from "node:test";
import { envelopeOf, type Envelope } from "#salvor/log/events.js";
import { claiming } from "#salvor/store/append-unit.js";
import { FormatTooNew, openLowdbStore } from "#salvor/store/index.js";
import { verifyFolder, type VerifyFinding } from "#salvor/store/verify-folder.js";

const LONG = "11111111-0000-4000-8000-000000000000";
const SHORT = "22222222-0000-4000-8000-000000000000";
const NEW = "33333333-0000-4000-8000-000000000000";
const EVERY = process.env.SALVOR_SOAK === undefined ? 23 : 1;
const root = await mkdtemp(join(tmpdir(), "salvor-verify-"));
after(() => rm(root, { recursive: true, force: true }));

function event(run: string, seq: number): Envelope {
  const at = new Date(Date.UTC(2026, 0, 1, 0, 0, seq)).toISOString();
  return seq === 0
    ? envelopeOf(run, 0, at, { kind: "RunStarted", payload: { agent_def_hash: "x", input: null } })
    : envelopeOf(run, seq, at, { kind: "NowObserved", payload: { now: `event ${seq}` } });
}

let folders = 0;

/** A folder of every kind of file, whose server was killed: documents, parts, an index, and a journal of several batches. */
async function filledFolder(): Promise<string> {
  const dir = join(root, `made-${folders++}`);
  const store = await openLowdbStore({ dir, partEvents: 3 });
  for (let seq = 0; seq < 8; seq += 1) await store.append(LONG, [event(LONG, seq)]);
  for (let seq = 0; seq < 2; seq += 1) await store.append(SHORT, [event(SHORT, seq)]);
  await store.append(SHORT, [event(SHORT, 2)], claiming("sha256:held", 2));
  await store.close();
  const again = await openLowdbStore({ dir, partEvents: 3, idleMs: 1e9 });
  for (let seq = 8; seq < 10; seq += 1) await again.append(LONG, [event(LONG, seq)]);
  for (let seq = 0; seq < 3; seq += 1) await again.append(NEW, [event(NEW, seq)]);
  const killed = `${dir}-killed`;
  await cp(dir, killed, { recursive: true });
  await unlink(join(killed, "lock"));
  await again.close();
  return killed;
}

async function filesOf(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe("a folder that is checked", () => {
  it("has no findings when it is as it was written, and is not touched", async () => {
    const dir = await filledFolder();
    const before = await Promise.all((await filesOf(dir)).map((file) => readFile(file)));
    assert.deepEqual(await verifyFolder(dir), { runs: 3, events: 16, torn: 0, findings: [] });
    assert.deepEqual(await Promise.all((await filesOf(dir)).map((file) => readFile(file))), before);
  });

  it("names every flipped bit, whichever file it is in: a document's by run and position, a journal's by file and byte as well", async () => {
    const dir = await filledFolder();
    const kinds = new Set<string>();
    let named = 0;
    for (const file of await filesOf(dir)) {
      const path = relative(dir, file);
      kinds.add(
        path
          .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, "RUN")
          .replace(/^runs\/../, "runs")
          .replace(/\d+/g, "N"),
      );
      const bytes = await readFile(file);
      for (let at = 0; at < bytes.length; at += EVERY) {
        const changed = Buffer.from(bytes);
        changed[at]! ^= 1 << (at % 8);
        await writeFile(file, changed);
        const findings = await checked(dir, path === "store.json");
        assert.notEqual(findings.length, 0, `${path}, byte ${at} was not noticed`);
        const [first] = findings;
        if (path.startsWith("runs/")) {
          const run = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(path)?.[0];
          assert.equal(first?.run, run, `${path}, byte ${at}`);
          assert.ok(Number.isInteger(first?.seq), `${path}, byte ${at} has no position`);
          if (/event \d/.test(bytes.toString("latin1", at - 6, at + 1))) {
            assert.equal(String(first?.seq), String.fromCharCode(bytes[at] ?? 0));
          }
        } else if (path.startsWith("journal/")) {
          assert.ok(first?.file === file && (first.offset ?? Infinity) <= at, `${path}, byte ${at}`);
          if (first.run !== undefined) named += 1;
        } else assert.equal(first?.file, file);
      }
      await writeFile(file, bytes);
    }
    assert.deepEqual([...kinds].sort(), [
      "index/N.json",
      "journal/N.jsonl",
      "runs/RUN.N.json",
      "runs/RUN.json",
      "store.json",
    ]);
    assert.ok(named > 5, "the lines of a journal name their runs");
    assert.deepEqual((await verifyFolder(dir)).findings, []);
  });

  it("names the very run and event that a bit was flipped in, in a journal too", async () => {
    const dir = await filledFolder();
    const file = (await filesOf(join(dir, "journal"))).sort().at(-1) ?? "";
    const bytes = await readFile(file);
    for (const [run, seq] of [
      [LONG, 8],
      [NEW, 1],
      [NEW, 2],
    ] as const) {
      const at = bytes.indexOf(`"event ${seq}"`);
      const changed = Buffer.from(bytes);
      changed[at + 2]! ^= 1;
      await writeFile(file, changed);
      const { findings } = await verifyFolder(dir);
      const named = findings.find((finding) => finding.offset !== undefined);
      assert.deepEqual([named?.run, named?.seq, named?.file], [run, seq, file]);
    }
  });

  it("tells a batch that a crash cut short from one that was changed", async () => {
    const dir = await filledFolder();
    const file = (await filesOf(join(dir, "journal"))).sort().at(-1) ?? "";
    const bytes = await readFile(file);
    const last = bytes.lastIndexOf('{"batch":');
    for (let end = last + 1; end < bytes.length; end += 37) {
      await writeFile(file, bytes);
      await truncate(file, end);
      assert.deepEqual(await verifyFolder(dir), { runs: 3, events: 15, torn: end - last, findings: [] });
    }
  });

  for (const [harm, what, apply] of [
    [
      "a document is gone",
      /document is gone/,
      (dir: string) => unlink(join(dir, "runs/22", `${SHORT}.json`)),
    ],
    [
      "a part is gone",
      /expected|complete|not what was written/,
      (dir: string) => unlink(join(dir, "runs/11", `${LONG}.1.json`)),
    ],
    [
      "a document was replaced by another run's",
      /not what was written/,
      (dir: string) => cp(join(dir, "runs/11", `${LONG}.json`), join(dir, "runs/22", `${SHORT}.json`)),
    ],
  ] as const) {
    it(`says so when ${harm}`, async () => {
      const dir = await filledFolder();
      await apply(dir);
      const { findings } = await verifyFolder(dir);
      assert.equal(findings.length, 1);
      assert.match(`${findings[0]?.detail} in run ${findings[0]?.run}`, what);
    });
  }

  it("names every run that is damaged, not only the first", async () => {
    const dir = await filledFolder();
    for (const [shard, run] of [
      ["11", LONG],
      ["22", SHORT],
    ] as const) {
      await truncate(join(dir, "runs", shard, `${run}.json`), 100);
    }
    const { findings } = await verifyFolder(dir);
    assert.deepEqual(findings.map(({ run }) => run).sort(), [LONG, SHORT]);
  });
});

/** The findings; a `store.json` whose format was flipped upwards is a newer version's, which is said as well. */
async function checked(dir: string, mayBeNewer: boolean): Promise<readonly VerifyFinding[]> {
  try {
    return (await verifyFolder(dir)).findings;
  } catch (error) {
    assert.ok(mayBeNewer && error instanceof FormatTooNew, String(error));
    return [{ file: join(dir, "store.json"), detail: error.message }];
  }
}
