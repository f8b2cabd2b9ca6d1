import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import { mkdtemp, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { spawnServer } from "../support/spawn-server.js";
import { MemoryDisk } from "../store/disk/memory-disk.js";
import { Random } from "../store/disk/random.js";
import { sessionOn } from "../store/disk/sessions.js";
import { WRITES } from "../store/disk/faulty-layer.js";
import { AppState, startServer } from "#salvor/server/index.js";

const RUN = "11111111-0000-4000-8000-000000000000";

/** A driver that speaks to a server over HTTP, and remembers what it was told is recorded. */
class Driver {
  recorded = 0;
  #token = "";
  constructor(public url: string) {}

  async open(): Promise<void> {
    const { json } = await this.#call("POST", "/v1/client-runs", { run_id: RUN });
    this.#token = (json as { drive_token: string }).drive_token;
  }

  /** Appends one event of about so many bytes; answers the status and the error's code. */
  async append(bytes: number): Promise<readonly [number, string | undefined]> {
    const seq = this.recorded;
    const event =
      seq === 0
        ? { kind: "RunStarted", payload: { agent_def_hash: "x", input: null } }
        : { kind: "NowObserved", payload: { now: "2026-01-01T00:00:00Z", note: "x".repeat(bytes) } };
    const envelope = { run_id: RUN, seq, schema_version: 1, recorded_at: "", event };
    const { status, json } = await this.#call("POST", `/v1/client-runs/${RUN}/events`, {
      events: [envelope],
    });
    if (status === 200) this.recorded += 1;
    return [status, (json as { error?: { code: string } }).error?.code];
  }

  async log(): Promise<readonly { readonly seq: number }[]> {
    const { json } = await this.#call("GET", `/v1/client-runs/${RUN}/log`);
    return (json as { log: { seq: number }[] }).log;
  }

  async ready(): Promise<number> {
    return (await this.#call("GET", "/readyz")).status;
  }

  async #call(method: string, path: string, body?: unknown) {
    const response = await fetch(this.url + path, {
      method,
      headers: { "x-drive-token": this.#token },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() };
  }
}

/** Stops writes with 503, reads on, loses nothing, and goes on when there is room. */
async function outlast(
  driver: Driver,
  bytes: number,
  fill: () => Promise<void>,
  makeRoom: () => Promise<void>,
) {
  await driver.open();
  for (let count = 0; count < 5; count += 1) assert.deepEqual(await driver.append(bytes), [200, undefined]);
  await fill();
  let refused = await driver.append(bytes);
  for (; refused[0] === 200; refused = await driver.append(bytes));
  assert.deepEqual(refused, [503, "store_unavailable"]);
  assert.equal(await driver.ready(), 503);
  assert.deepEqual(
    (await driver.log()).map(({ seq }) => seq),
    Array.from({ length: driver.recorded }, (_, seq) => seq),
  );
  await makeRoom();
  assert.deepEqual(await driver.append(bytes), [200, undefined]);
  assert.deepEqual(await driver.append(bytes), [200, undefined]);
  assert.equal(await driver.ready(), 200);
  assert.equal((await driver.log()).length, driver.recorded);
}

describe("a server whose disk is full", () => {
  it("stops writes with 503, loses nothing, and goes on when there is room (a disk in memory)", async () => {
    const disk = new MemoryDisk();
    let full = false;
    const session = sessionOn(disk, new Random(7), ({ kind }) =>
      full && WRITES.has(kind) ? { fails: "ENOSPC" } : "works",
    );
    const server = await startServer(new AppState({ store: await session.open() }), {
      host: "127.0.0.1",
      port: 0,
    });
    const driver = new Driver(server.url);
    try {
      await outlast(
        driver,
        100,
        () => Promise.resolve(void (full = true)),
        () => Promise.resolve(void (full = false)),
      );
    } finally {
      await server.close();
    }
    const store = await sessionOn(disk, new Random(8)).open();
    assert.equal((await store.readLog(RUN)).length, driver.recorded);
    await store.close();
  });

  // Mounting takes root. A soak that cannot mount fails here: it must not seem to have seen a full disk.
  if (process.env.SALVOR_SOAK !== undefined)
    it("does so on a small tmpfs, and has everything after a kill", async () => {
      const disk = await mkdtemp(join(tmpdir(), "salvor-tmpfs-"));
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "salvor-test", disk]);
      try {
        const data = join(disk, "data");
        const ballast = join(disk, "ballast");
        const server = await spawnServer({ dataDir: data });
        const driver = new Driver(server.url);
        await outlast(
          driver,
          20_000,
          () => writeFile(ballast, Buffer.alloc(2 * 1024 * 1024)),
          () => rm(ballast),
        );
        await server.kill();
        const again = await spawnServer({ dataDir: data });
        driver.url = again.url;
        assert.equal((await driver.log()).length, driver.recorded);
        await again.stop();
      } finally {
        execFileSync("umount", [disk]);
        await rmdir(disk);
      }
    });
});
