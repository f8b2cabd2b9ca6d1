import assert from "node:assert/strict";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { progressLine } from "#salvor/cli/progress-line.js";
import { runSchemas } from "#salvor/cli/schemas.js";
import { Program, toolSource } from "../schema/generator/program.js";

/** What is written on a stream, a terminal or not, while a clock is set by hand. */
function watched(isTTY: boolean, columns = 80) {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY, columns });
  const clock = { now: 0 };
  return {
    clock,
    line: progressLine(stream, () => clock.now),
    written: () => (stream.read() as string | null) ?? "",
  };
}

describe("a progress line", () => {
  it("says nothing of work that is quick, and nothing where no person reads", () => {
    const quick = watched(true);
    quick.clock.now = 499;
    quick.line.show("a");
    quick.line.clear();
    assert.equal(quick.written(), "");
    const piped = watched(false);
    piped.clock.now = 10_000;
    piped.line.show("a");
    piped.line.clear();
    assert.equal(piped.written(), "");
  });

  it("replaces itself, ten times a second at most, stays on one line and goes away", () => {
    const { clock, line, written } = watched(true, 6);
    clock.now = 500;
    line.show("1 of 9 tools");
    assert.equal(written(), "\r\u001b[K1 of ");
    clock.now = 599;
    line.show("2");
    assert.equal(written(), "");
    clock.now = 600;
    line.show("3");
    assert.equal(written(), "\r\u001b[K3");
    line.clear();
    line.clear();
    assert.equal(written(), "\r\u001b[K");
  });

  it("counts the tools of a run of salvor schemas, and is gone before the run says anything", async () => {
    using program = new Program({
      "src/a.ts": toolSource("RefundOrder", "type In = { id: string };"),
      "src/b.ts": toolSource("PayOut", "type In = { id: string };"),
    });
    const told: string[] = [];
    const say = (line: string) => told.push(line);
    const code = await runSchemas(
      {
        tsconfig: join(program.folder, "tsconfig.json"),
        out: join(program.folder, "out.json"),
        check: false,
        json: false,
      },
      { stdout: say, stderr: say, progress: { show: say, clear: () => told.push("(gone)") } },
    );
    assert.equal(code, 0);
    assert.deepEqual(told.slice(0, -1), [
      "reading types: 0 of 2 tools",
      "reading types: 1 of 2 tools",
      "checking types: 0 of 2 files",
      "checking types: 1 of 2 files",
      "making schemas: 0 of 2 tools",
      "making schemas: 1 of 2 tools",
      "(gone)",
    ]);
    assert.match(told.at(-1) ?? "", /out\.json: 2 tools$/);
  });
});
