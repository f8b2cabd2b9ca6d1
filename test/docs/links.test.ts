import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brokenLinks, brokenReferences, unknownScripts } from "./links.js";
import { anchorOf, markdownPages, readPage, sources } from "./pages.js";

describe("the documents", () => {
  const pages = markdownPages();
  const { scripts } = JSON.parse(readPage("package.json").text) as { scripts: Record<string, string> };

  it("lead somewhere with each of their links", () => {
    assert.ok(pages.length > 5);
    assert.equal(pages.flatMap(brokenLinks).join("\n"), "");
  });

  it("hold every page and heading that a comment in the code refers to", () => {
    assert.ok(sources().length > 20);
    assert.equal(sources().flatMap(brokenReferences).join("\n"), "");
  });

  it("name only scripts that there are", () => {
    assert.deepEqual(
      pages.flatMap((page) => unknownScripts(page, Object.keys(scripts))),
      [],
    );
  });

  it("are all listed in docs/README.md", () => {
    const index = readPage("docs/README.md").text;
    for (const { path } of pages) {
      const name = /^docs\/(.+\.md)$/.exec(path)?.[1];
      if (name !== undefined && name !== "README.md") assert.ok(index.includes(`(${name})`), name);
    }
  });
});

describe("the checks of the documents", () => {
  const page = (text: string) => ({ path: "docs/sample.md", text });

  it("notice a missing file, a missing heading, and a way out of the repository", () => {
    assert.match(brokenLinks(page("[a](gone.md)")).join(), /gone\.md: there is no such file/);
    assert.match(brokenLinks(page("[a](http-api.md#gone)")).join(), /no such heading/);
    assert.match(brokenLinks(page("[a](#gone)")).join(), /no such heading/);
    assert.match(brokenLinks(page("[a](../../outside.md)")).join(), /no such file/);
  });

  it("accept links that lead somewhere, and leave other sites and code alone", () => {
    const text = "# Here\n[a](http-api.md#json) [b](#here) [c](../src) [d](https://example.org) `[e](f.md)`";
    assert.deepEqual(brokenLinks(page(text)), []);
  });

  it("notice a comment that refers to a missing page or heading", () => {
    const source = (text: string) => brokenReferences({ path: "src/a.ts", text }).join();
    assert.match(source("// docs/gone.md"), /no such page/);
    assert.match(source('// see docs/http-api.md, "Gone"'), /no heading "Gone"/);
    assert.match(source('/**\n * (docs/http-api.md,\n * "Gone too")\n */'), /no heading "Gone too"/);
    assert.equal(source('/**\n * (docs/http-api.md, "The append\n * guard")\n */'), "");
  });

  it("notice a script that is not there", () => {
    assert.match(unknownScripts(page("`npm run gone`"), ["test"]).join(), /npm run gone/);
    assert.deepEqual(unknownScripts(page("`npm run test:nodes`"), ["test:nodes"]), []);
  });

  it("make anchors as GitHub does", () => {
    assert.equal(anchorOf("The append guard"), "the-append-guard");
    assert.equal(anchorOf("`@Tool`, and what's in it"), "tool-and-whats-in-it");
  });
});
