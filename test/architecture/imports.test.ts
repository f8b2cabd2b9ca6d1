import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, it } from "node:test";
import type { SourceText } from "./imports.js";
import { LAYERS, MAX_LINES } from "./layers.js";
import { folderOf, violationsOf } from "./rules.js";

const src = join(import.meta.dirname, "../../../src");

function sources(): readonly SourceText[] {
  return readdirSync(src, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({
      path: relative(src, file).split(sep).join("/"),
      text: readFileSync(file, "utf8"),
    }));
}

describe("src", () => {
  const all = sources();

  it("is what the rules are applied to", () => {
    const folders = new Set(all.map(({ path }) => folderOf(path)));
    for (const folder of ["contract", "log", "store"])
      assert.ok(folders.has(folder), `${folder} was not read`);
  });

  it("follows the rules of the architecture", () => {
    assert.deepEqual(all.flatMap(violationsOf), []);
  });
});

describe("the layers", () => {
  it("hold no circle", () => {
    const below = (folder: string, seen: readonly string[]): void => {
      assert.ok(!seen.includes(folder), [...seen, folder].join(" -> "));
      for (const next of LAYERS[folder] ?? []) below(next, [...seen, folder]);
    };
    for (const folder of Object.keys(LAYERS)) below(folder, []);
  });
});

describe("the rules", () => {
  const refused = (path: string, text: string): string => violationsOf({ path, text }).join("\n");
  const accepted = (path: string, text: string): void => {
    assert.deepEqual(violationsOf({ path, text }), []);
  };

  it("accept imports that point down, inside a folder, and of packages", () => {
    accepted("log/fold.ts", `import { isEffect } from "../contract/effect.js";`);
    accepted(
      "log/keys.ts",
      `import { hashValue } from "./canonical-json.js"; import { x } from "node:crypto";`,
    );
    accepted("server/http/app.ts", `import Koa from "koa"; import { y } from "../../log/fold.js";`);
    accepted("cli/version.ts", `import manifest from "../../package.json" with { type: "json" };`);
  });

  it("refuse an error that is logged with all that it holds", () => {
    const logging = (err: string) =>
      `export const log = (error: Error) => logger.warn({ err: ${err} }, "x");`;
    assert.match(refused("server/x.ts", logging("error")), /^server\/x\.ts:1: error is logged as it is/);
    accepted("server/x.ts", logging("errorFacts(error, true)"));
  });

  const upwards: Readonly<Record<string, string>> = {
    "a static import": `import { x } from "../server/app.js";`,
    "a type-only import": `import type { X } from "../server/app.js";`,
    "an import for its effect": `import "../server/app.js";`,
    "a re-export": `export { x } from "../server/app.js";`,
    "a dynamic import": `export const load = async () => import("../server/app.js");`,
    "a dynamic import in a template without a hole":
      "export const load = async () => import(`../server/app.js`);",
    "an import type": `export type X = import("../server/app.js").X;`,
    "a require": `const x = require("../server/app.js");`,
    "an import assignment": `import x = require("../server/app.js");`,
    "a resolved path": `export const path = import.meta.resolve("../server/app.js");`,
    "a worker's file": `export const file = new URL("../server/app.js", import.meta.url);`,
  };
  for (const [how, text] of Object.entries(upwards)) {
    it(`refuse ${how} that points up`, () => {
      assert.match(refused("store/lowdb.ts", text), /^store\/lowdb\.ts:1: store may not import server/);
    });
  }

  it("refuse a sideways import, and one from contract into any other folder", () => {
    assert.match(refused("store/a.ts", `import { x } from "../declarations/a.js";`), /store may not import/);
    assert.match(
      refused("client/a.ts", `import { x } from "../server/a.js";`),
      /client may not import server/,
    );
    assert.match(refused("client/a.ts", `import { x } from "../store/a.js";`), /client may not import store/);
    assert.match(refused("contract/a.ts", `import { x } from "../log/a.js";`), /contract may not import log/);
    assert.match(
      refused("contract/a.ts", `import { x } from "../index.js";`),
      /contract may not import index/,
    );
    assert.match(refused("server/a.ts", `import { x } from "../mcp/a.js";`), /server may not import mcp/);
  });

  it("refuse ways around them", () => {
    assert.match(refused("log/a.ts", `import { x } from "#salvor/server/app.js";`), /relative path/);
    assert.match(refused("log/a.ts", `import { x } from "salvor/server";`), /relative path/);
    assert.match(refused("log/a.ts", `export const f = async (x: string) => import(x);`), /computed import/);
    assert.match(refused("log/a.ts", `import { x } from "../../dist/server/app.js";`), /outside src/);
    assert.match(refused("elsewhere/a.ts", ``), /elsewhere has no place in the layers/);
    assert.match(refused("constructor/a.ts", ``), /constructor has no place in the layers/);
  });

  it("refuse modules that do IO, and unknown packages, in contract and log", () => {
    for (const specifier of ["node:fs", "fs", "node:fs/promises", "node:http", "node:timers", "koa"]) {
      assert.match(refused("contract/a.ts", `import { x } from "${specifier}";`), /contract is pure/);
      assert.match(refused("log/a.ts", `import { x } from "${specifier}";`), /log is pure/);
    }
    assert.match(refused("contract/a.ts", `import { createHash } from "node:crypto";`), /contract is pure/);
  });

  const impure = [
    "Date.now()",
    "new Date()",
    "new Date",
    "Date()",
    "{ Date }",
    "performance.now()",
    "setTimeout(() => {}, 1)",
    "setInterval(() => {}, 1)",
    "[setTimeout]",
    "{ later: setTimeout }",
    "Math.random()",
    "Math['random']()",
    "((m) => m)(Math)",
    "AbortSignal.timeout(5)",
    "crypto.randomUUID()",
    "process.env",
    "fetch('http://x')",
    "globalThis.Date",
    "console.log(1)",
  ];
  for (const code of impure) {
    it(`refuse ${code} in contract and log, and nowhere else`, () => {
      const text = `export const x = ${code};`;
      assert.match(refused("contract/a.ts", text), /^contract\/a\.ts:1: pure code may not use/);
      assert.match(refused("log/a.ts", text), /^log\/a\.ts:1: pure code may not use/);
      accepted("server/a.ts", text);
    });
  }

  it("accept in pure code what only computes, and names that only look like a clock", () => {
    accepted("log/a.ts", `export const x = Date.parse("2026-01-01T00:00:00Z") + Math.max(1, 2);`);
    accepted("log/a.ts", `export const x = new Date(0).toISOString();`);
    accepted("log/a.ts", `export const x = (value: unknown) => value instanceof Date;`);
    accepted("contract/a.ts", `export interface X { readonly fetch: Date; readonly performance: number }`);
    accepted("contract/a.ts", `export const x = (ctx: { process: number }) => ctx.process;`);
  });

  it("refuse default exports and exports that are not named", () => {
    assert.match(refused("log/a.ts", `export default 1;`), /no default exports/);
    assert.match(refused("log/a.ts", `export default function f() {}`), /no default exports/);
    assert.match(refused("log/a.ts", `export default class {}`), /no default exports/);
    assert.match(refused("log/a.ts", `const x = 1; export { x as default };`), /no default exports/);
    assert.match(refused("log/a.ts", `export { default } from "./b.js";`), /no default exports/);
    assert.match(refused("log/a.ts", `export * from "./b.js";`), /named one by one/);
    assert.match(refused("log/a.ts", `export * as b from "./b.js";`), /named one by one/);
    accepted("log/a.ts", `export const f = (x: number) => { switch (x) { default: return 1; } };`);
  });

  it("refuse anything but named exports in src/index.ts", () => {
    accepted(
      "index.ts",
      `export { Tool } from "./contract/tool.js"; export type { X } from "./contract/x.js";`,
    );
    assert.match(refused("index.ts", `export const x = 1;`), /named exports only/);
    assert.match(refused("index.ts", `import "./contract/x.js";`), /named exports only/);
    assert.match(refused("index.ts", `export { x } from "./server/x.js";`), /index may not import server/);
  });

  it(`refuse a file of more than ${MAX_LINES} lines`, () => {
    accepted("log/a.ts", "//\n".repeat(MAX_LINES));
    assert.match(refused("log/a.ts", "//\n".repeat(MAX_LINES + 1)), /log\/a\.ts:301: 301 lines/);
  });

  it("refuse names that are not kebab-case", () => {
    for (const path of [
      "log/eventStore.ts",
      "log/Event.ts",
      "log/event_store.ts",
      "log/Deep/a.ts",
      "log/a.js",
    ]) {
      assert.match(refused(path, ""), /kebab-case/);
    }
    accepted("log/event-store.ts", "");
    accepted("log/2-phase/a1.ts", "");
  });
});
