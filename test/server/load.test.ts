import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const SOAK = process.env.SALVOR_SOAK === "1";
/** A day's worth of load, or a sample of it. */
const LENGTH = SOAK ? ["--minutes", "10"] : ["--seconds", "16", "--looks", "1"];
const SCRIPT = fileURLToPath(new URL("../../../scripts/load.js", import.meta.url));

interface Report {
  readonly done: Readonly<Record<string, number>>;
  readonly unexpected: readonly string[];
  readonly grown: readonly string[];
  readonly samples: readonly { readonly requests: number; readonly runs: number }[];
}

describe("a server under load", () => {
  it("answers as it should, and grows by nothing but what it keeps of runs", async () => {
    const dir = await mkdtemp(join(tmpdir(), "salvor-load-report-"));
    try {
      const json = join(dir, "report.json");
      const child = spawn(process.execPath, [SCRIPT, "--built", ...LENGTH, "--json", json], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      let said = "";
      child.stdout.on("data", (text: Buffer) => (said += text.toString()));
      child.stderr.on("data", (text: Buffer) => (said += text.toString()));
      const [code] = (await once(child, "close")) as [number | null];
      assert.equal(code, 0, said);
      if (SOAK) console.log(said);
      const report = JSON.parse(await readFile(json, "utf8")) as Report;
      assert.deepEqual(report.unexpected, []);
      assert.deepEqual(report.grown, []);
      for (const [story, times] of Object.entries(report.done)) assert.ok(times > 0, `${story}: ${said}`);
      assert.ok((report.samples.at(-1)?.runs ?? 0) > (report.samples[0]?.runs ?? 0), said);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
