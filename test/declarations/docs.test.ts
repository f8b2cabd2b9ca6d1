import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { DeclarationError, parseDeclaration } from "#salvor/declarations/index.js";

const page = readFileSync("docs/declarations.md", "utf8");

/** The code blocks of the page that are marked so. */
function blocks(mark: string): readonly string[] {
  return [...page.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].flatMap(([, found, text]) =>
    found === mark && text !== undefined ? [text] : [],
  );
}

describe("the page about declarations", () => {
  it("shows declarations that load", () => {
    const names = blocks("toml").map((text) => parseDeclaration(text, "page.toml").name);
    assert.deepEqual(names, ["refund_card", "bank_payout", "list_refunds"]);
  });

  it("shows the refusal that its faulty declaration gets", () => {
    const [faulty] = blocks("toml refused");
    assert.ok(faulty !== undefined);
    assert.throws(
      () => parseDeclaration(faulty, "refund-card.toml"),
      (error) => error instanceof DeclarationError && `${error.message}\n` === blocks("text")[0],
    );
  });
});
