import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readPage, testSources } from "./pages.js";
import { tableUnder } from "./tables.js";

describe("docs/failures.md", () => {
  const page = readPage("docs/failures.md");
  const tests = testSources();

  for (const heading of ["Tools and models that the server performs", "The store", "Anything, anywhere"]) {
    it(`names only tests that there are: ${heading}`, () => {
      const rows = tableUnder(page, heading);
      assert.ok(rows.length >= 3);
      for (const [moment = "", , test = ""] of rows) {
        const [, sentence = ""] = /^"(.+)"$/.exec(test) ?? [];
        assert.ok(sentence.length > 10, `${moment}: it names a test`);
        const title = new RegExp(`\\bit\\([^\\n]*${sentence.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);
        assert.ok(
          tests.some(({ text }) => title.test(text)),
          `there is no test: ${sentence}`,
        );
      }
    });
  }
});
