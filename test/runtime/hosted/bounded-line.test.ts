import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BoundedLine, LineFull, type Place } from "#salvor/runtime/hosted/bounded-line.js";

/** Notes whose turn it is. */
function queue(line: BoundedLine, turns: string[], name: string): Place {
  const place = line.enter();
  void place.turn?.then(
    () => turns.push(name),
    () => turns.push(`${name} refused`),
  );
  return place;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a bounded line", () => {
  it("lets so many work at once, the others in the order of arrival, and refuses whom it has no room for", async () => {
    const line = new BoundedLine(2, 2);
    const turns: string[] = [];
    const [a, b] = [line.enter(), line.enter()];
    assert.deepEqual([a.turn, b.turn], [undefined, undefined]);
    const c = queue(line, turns, "c");
    const d = queue(line, turns, "d");
    assert.throws(() => line.enter(), LineFull);
    await settled();
    assert.deepEqual(turns, []);
    b.leave();
    b.leave();
    await settled();
    assert.deepEqual(turns, ["c"]);
    const e = queue(line, turns, "e");
    assert.throws(() => line.enter(), LineFull);
    for (const place of [a, c, d, e]) place.leave();
    await settled();
    assert.deepEqual(turns, ["c", "d", "e"]);
    assert.deepEqual([line.enter().turn, line.enter().turn], [undefined, undefined]);
    assert.notEqual(line.enter().turn, undefined);
  });

  it("forgets whoever leaves it before their turn", async () => {
    const line = new BoundedLine(1, 1);
    const turns: string[] = [];
    const working = line.enter();
    queue(line, turns, "gone").leave();
    queue(line, turns, "next");
    working.leave();
    await settled();
    assert.deepEqual(turns, ["next"]);
  });

  it("that is closed refuses who waits and who comes, and leaves who works to finish", async () => {
    const line = new BoundedLine(1, 2);
    const turns: string[] = [];
    const working = line.enter();
    const waiting = queue(line, turns, "a");
    line.close(new Error("closed"));
    await settled();
    assert.deepEqual(turns, ["a refused"]);
    waiting.leave();
    working.leave();
    assert.throws(() => line.enter(), /closed/);
  });
});
