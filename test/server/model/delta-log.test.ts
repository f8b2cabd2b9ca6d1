import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { DeltaLog } from "#salvor/server/model/delta-log.js";
import { ModelFailure, type ModelDelta } from "#salvor/server/index.js";

interface Words {
  readonly type: "text_delta" | "thinking_delta";
  readonly words: string;
}

/** What deltas come to, whatever the pieces: runs of words of one kind, and counts. */
function joined(deltas: readonly ModelDelta[]): readonly (Words | ModelDelta)[] {
  const runs: (Words | ModelDelta)[] = [];
  for (const delta of deltas) {
    if (delta.type === "usage") {
      runs.push(delta);
      continue;
    }
    const words = delta.type === "text_delta" ? delta.text : delta.thinking;
    const last = runs.at(-1);
    if (words === "") continue;
    if (last?.type === delta.type && "words" in last) {
      runs[runs.length - 1] = { type: delta.type, words: last.words + words };
    } else runs.push({ type: delta.type, words });
  }
  return runs;
}

/** Half a character that ends a run is never told: its other half did not follow. */
function told(deltas: readonly ModelDelta[]): readonly (Words | ModelDelta)[] {
  const whole = joined(deltas).map((run): ModelDelta => {
    if (!("words" in run)) return run;
    const words = run.words.replace(/[\ud800-\udbff]$/, "");
    return run.type === "text_delta" ? { type: run.type, text: words } : { type: run.type, thinking: words };
  });
  return joined(whole);
}

const words = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("\ud83d", "\udcb6", "x".repeat(20_000)),
);
const delta: fc.Arbitrary<ModelDelta> = fc.oneof(
  words.map((text) => ({ type: "text_delta" as const, text })),
  words.map((thinking) => ({ type: "thinking_delta" as const, thinking })),
  fc.nat().map((count) => ({ type: "usage" as const, input_tokens: count, output_tokens: count })),
);

describe("what a model has said so far", () => {
  it("is read whole by each reader, whenever it begins and however slowly it reads", () => {
    const script = fc.array(fc.oneof(delta, fc.constant("read" as const)), { maxLength: 40 });
    fc.assert(
      fc.property(script, (steps) => {
        const log = new DeltaLog();
        const slow = log.reading();
        const heard: ModelDelta[] = [];
        const said: ModelDelta[] = [];
        for (const step of steps) {
          if (step === "read") heard.push(...[slow()].filter((found) => found !== undefined));
          else {
            log.add(step);
            said.push(step);
          }
        }
        for (const [reading, before] of [
          [slow, heard],
          [log.reading(), []],
        ] as const) {
          const found: ModelDelta[] = [...before];
          for (let next = reading(); next !== undefined; next = reading()) found.push(next);
          assert.deepEqual(joined(found), told(said));
        }
      }),
    );
  });

  it("comes in few pieces to one who was slow, none larger than a frame", () => {
    const log = new DeltaLog();
    for (let n = 0; n < 100_000; n += 1) log.add({ type: "text_delta", text: "x" });
    const next = log.reading();
    const sizes: number[] = [];
    for (let found = next(); found !== undefined; found = next()) {
      assert.equal(found.type, "text_delta");
      sizes.push((found as { readonly text: string }).text.length);
    }
    assert.deepEqual(sizes, [...Array<number>(6).fill(16_384), 100_000 - 6 * 16_384]);
  });

  it("never splits a character", () => {
    const log = new DeltaLog();
    log.add({ type: "text_delta", text: `${"x".repeat(16 * 1024 - 1)}💶` });
    const next = log.reading();
    assert.deepEqual(
      [next(), next(), next()].map((found) => found && (found as { readonly text: string }).text.length),
      [16 * 1024 - 1, 2, undefined],
    );
  });

  it("is bounded", () => {
    const log = new DeltaLog();
    const megabyte = "x".repeat(1024 * 1024);
    for (let n = 0; n < 8; n += 1) log.add({ type: "text_delta", text: megabyte });
    assert.throws(() => {
      log.add({ type: "text_delta", text: "x" });
    }, ModelFailure);
  });
});
