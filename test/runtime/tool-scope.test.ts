import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs";
import { describe, it } from "node:test";
import { inToolScope, toolInScope } from "#salvor/runtime/tool-scope.js";

void describe("the scope of a tool", () => {
  it("holds the tool, and whatever it leaves running, and nothing around it", async () => {
    const seen = new EventTarget();
    const seenAt = (what: string) => once(seen as never, what) as Promise<[CustomEvent<string | undefined>]>;
    const timer = seenAt("timer");
    const file = seenAt("file");
    const tell = (what: string) => seen.dispatchEvent(new CustomEvent(what, { detail: toolInScope() }));
    await inToolScope("charge_card", async () => {
      setTimeout(() => tell("timer"), 1);
      readFile(import.meta.filename, () => tell("file"));
      await Promise.resolve();
      assert.equal(toolInScope(), "charge_card");
    });
    assert.equal(toolInScope(), undefined);
    for (const [event] of await Promise.all([timer, file])) assert.equal(event.detail, "charge_card");
    assert.equal(toolInScope(), undefined);
  });
});
