import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import type { Envelope } from "#salvor/log/events.js";
import { askedFile, type ChildEnd, type ChildSetting } from "./desk-child.js";
import { DeskServer } from "./desk-server.js";
import { Ledger, linesOf } from "./ledger.js";
import { assertLegal, shapeOf } from "./log-checks.js";
import { settleFromLedger } from "./settle.js";

export interface KillTestOptions {
  /** The built file of a program that drives the desk's script to its end with {@link DeskChild.run}. */
  readonly program: string;
  /** Two are killed at a time unless told otherwise: as many as there are cores, in short. */
  readonly concurrency?: number;
  /** Kills at every so manieth place only; at every one unless given. */
  readonly every?: number;
}

/** A program in a process of its own, with one run that it drives. */
class Drive {
  readonly runId = randomUUID();
  #attempt = 0;

  constructor(
    private readonly program: string,
    private readonly server: DeskServer,
    readonly folder: string,
    private readonly way: number,
  ) {}

  /** @returns how it ended; `undefined` when it was killed. */
  async start(killAt?: number): Promise<ChildEnd | undefined> {
    const { url, token } = this.server;
    const { runId, folder, way } = this;
    const setting: ChildSetting = {
      ...{ url, token, runId, folder, way, attempt: this.#attempt },
      ...(killAt !== undefined && { killAt }),
    };
    this.#attempt += 1;
    const child = spawn(process.execPath, [this.program, JSON.stringify(setting)], {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 60_000,
    });
    const [said, complained, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>,
    ]);
    if (killAt !== undefined && signal === "SIGKILL") return undefined;
    assert.equal(code, 0, `the program ended with ${String(code ?? signal)}:\n${said}${complained}`);
    return JSON.parse(said.trim().split("\n").at(-1) ?? "") as ChildEnd;
  }

  /** Starts it again and again, with a person who settles what waits, until it is done. */
  async finish(ledger: Ledger): Promise<void> {
    for (let waits = 0; ; waits += 1) {
      assert.ok(waits < 4, "it waits for a person more often than there are writes");
      const end = await this.start();
      if (end === undefined || end.end === "done") return;
      await settleFromLedger(this.server.operator(), this.runId, end.seq, ledger);
    }
  }
}

/** What a run that nobody killed looks like. */
interface Unkilled {
  readonly points: readonly string[];
  readonly shape: readonly string[];
}

/**
 * Kills a program at every place that it passes, has another process go on, and holds the books against the log: each
 * payment once, a legal log of the same shape, and no model asked for an answer that is recorded.
 */
export function describeKills(name: string, { program, concurrency = 2, every = 1 }: KillTestOptions): void {
  describe(name, () => {
    let server: DeskServer;
    before(async () => {
      server = await DeskServer.start();
    });
    after(async () => {
      await server.stop();
    });

    it("pays each once, wherever it is killed", { concurrency }, async (t) => {
      const ways = await Promise.all([unkilled(program, server, 0), unkilled(program, server, 1)]);
      const [{ points, shape }, other] = ways;
      assert.deepEqual(other.shape, shape, "either way is recorded alike");
      await Promise.all(
        points.flatMap((place, at) =>
          at % every === 0
            ? [t.test(`killed ${place} (${at + 1})`, () => killedAt(at + 1, { program, server, shape }))]
            : [],
        ),
      );
    });
  });
}

async function unkilled(program: string, server: DeskServer, way: number): Promise<Unkilled> {
  const drive = new Drive(program, server, await server.newFolder(), way);
  const end = await drive.start();
  assert.equal(end?.end, "done");
  const log = await server.client().log(drive.runId);
  assertBooks(log, drive);
  assert.equal(linesOf(askedFile(drive.folder)).length, countOf(log, "ModelCallCompleted"));
  return { points: linesOf(`${drive.folder}/points.txt`), shape: shapeOf(log) };
}

/** Each place is met on one of the two ways: both places of a request on the same, the next request on the other. */
function wayOf(point: number): number {
  return Math.floor(point / 2) % 2;
}

async function killedAt(
  point: number,
  { program, server, shape }: { program: string; server: DeskServer; shape: readonly string[] },
): Promise<void> {
  const drive = new Drive(program, server, await server.newFolder(), wayOf(point));
  const ledger = new Ledger(drive.folder);
  assert.equal(await drive.start(point), undefined, "it was killed");
  const asked = linesOf(askedFile(drive.folder)).length;
  const answered = countOf(await logOf(server, drive), "ModelCallCompleted");

  await drive.finish(ledger);

  const log = await server.client().log(drive.runId);
  assertLegal(drive.runId, log);
  assert.deepEqual(shapeOf(log), shape);
  assertBooks(log, drive);
  // What was asked and not recorded when it died is asked again, and nothing else is.
  assert.equal(
    linesOf(askedFile(drive.folder)).length,
    countOf(log, "ModelCallCompleted") + asked - answered,
    "how often the model was asked",
  );
}

/** The log of a run that may not have been opened before its program died. */
async function logOf(server: DeskServer, { runId }: Drive): Promise<readonly Envelope[]> {
  const { runs } = await server.client().runs();
  return runs.some(({ run }) => run === runId) ? server.client().log(runId) : [];
}

function countOf(log: readonly Envelope[], kind: string): number {
  return log.filter(({ event }) => event.kind === kind).length;
}

/** Each write of the log was paid once, under its key, and its receipt is what is recorded; nothing else was paid. */
function assertBooks(log: readonly Envelope[], { folder }: Drive): void {
  const receipts = new Map(
    log.flatMap(({ event }) =>
      event.kind === "ToolCallCompleted" ? [[event.payload.seq, event.payload.output] as const] : [],
    ),
  );
  const due = log.flatMap(({ event }) => {
    if (event.kind !== "ToolCallRequested" || event.payload.effect !== "write") return [];
    const { seq, tool, idempotency_key: key } = event.payload;
    return [{ tool, key, output: receipts.get(seq) }];
  });
  const paid = new Ledger(folder).payments().map(({ tool, key, receipt, amount_cents }) => {
    return { tool, key, output: { receipt, amount_cents } };
  });
  assert.deepEqual(paid, due);
  assert.equal(paid.length, 2);
}
