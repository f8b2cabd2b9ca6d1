import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";

const root = join(import.meta.dirname, "../../..");
const PASSING = `import { it } from "node:test"; it("holds", () => {});`;

describe("npm test", () => {
  let checkout: string;
  before(() => {
    checkout = mkdtempSync(join(tmpdir(), "salvor-test-runner-"));
    cpSync(join(root, "scripts"), join(checkout, "scripts"), {
      recursive: true,
      filter: (source) => !source.endsWith("node_modules"),
    });
    writeFileSync(join(checkout, "package.json"), `{ "type": "module" }`);
  });
  after(() => {
    rmSync(checkout, { recursive: true, force: true });
  });
  beforeEach(() => {
    for (const folder of ["test", "build"]) rmSync(join(checkout, folder), { recursive: true, force: true });
  });

  /** Puts a test file into the checkout as the compiler would: its source, and beside it what was built from it. */
  function testFile(path: string, code: string): void {
    write(join("test", path.replace(/\.js$/, ".ts")), code);
    write(join("build/test", path), code);
  }

  function write(path: string, content: string): void {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), content);
  }

  function npmTest(...args: string[]): { code: number | null; output: string } {
    // Node's runner refuses to run inside a test that it runs itself, unless the child does not know.
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined, SALVOR_SOAK: undefined };
    const script = join(checkout, "scripts/test.js");
    const child = spawnSync(process.execPath, [script, "--built", ...args], {
      cwd: checkout,
      env,
      encoding: "utf8",
    });
    return { code: child.status, output: child.stdout + child.stderr };
  }

  it("passes when every test does, and closes with the totals of all suites", () => {
    testFile("one/a.test.js", PASSING);
    testFile("two/inside/b.test.js", PASSING);
    const { code, output } = npmTest();
    assert.equal(code, 0, output);
    assert.match(output, /^# tests 2$/m);
    assert.match(output, /^# pass 2$/m);
    assert.match(output, /^# fail 0$/m);
  });

  it("writes plain text when nobody watches a terminal", () => {
    testFile("one/a.test.js", PASSING);
    const { output } = npmTest();
    assert.ok(!output.includes("\u001b"), output);
  });

  it("fails when a test fails, and says which, where and why", () => {
    testFile(
      "one/a.test.js",
      `import { describe, it } from "node:test";
       describe("money", () => { it("adds up", () => { throw new Error("a cent is missing"); }); });`,
    );
    const { code, output } = npmTest();
    assert.equal(code, 1);
    assert.match(output, /FAIL money > adds up/);
    assert.match(output, /a cent is missing/);
    assert.match(output, /build\/test\/one\/a\.test\.js:2/);
    assert.match(output, /^# fail 1$/m);
  });

  it("fails when a file holds no test", () => {
    testFile("one/a.test.js", PASSING);
    testFile("one/b.test.js", `export {};`);
    const { code, output } = npmTest();
    assert.equal(code, 1);
    assert.match(output, /FAIL build\/test\/one\/b\.test\.js/);
  });

  it("fails when a suite executes nothing, because all of its tests are skipped", () => {
    testFile("one/a.test.js", `import { it } from "node:test"; it.skip("holds", () => {});`);
    const { code, output } = npmTest();
    assert.equal(code, 1);
    assert.match(output, /nothing was executed in this suite/);
  });

  it("fails when a test waits for what never comes", () => {
    testFile("one/a.test.js", `import { it } from "node:test"; it("waits", () => new Promise(() => {}));`);
    // Some versions of Node notice at once, others wait for the limit.
    const { code, output } = npmTest("--file-limit", "5");
    assert.equal(code, 1);
    assert.match(output, /^# cancelled 1$/m);
  });

  it("ends a file that never ends, and names it", () => {
    const forever = "setInterval(() => {}, 1000)";
    testFile(
      "one/a.test.js",
      `import { it } from "node:test"; it("waits", () => new Promise(() => ${forever}));`,
    );
    const { code, output } = npmTest("--file-limit", "2");
    assert.equal(code, 1);
    assert.match(output, /FAIL build\/test\/one\/a\.test\.js\n\s+still running after 2\.0 s/);
  });

  it("fails when the process of a file fails behind its passing tests", () => {
    testFile("one/a.test.js", `${PASSING} process.once("exit", () => { process.exitCode = 3; });`);
    assert.equal(npmTest().code, 1);
  });

  it("fails when a test was not compiled", () => {
    testFile("one/a.test.js", PASSING);
    write("test/one/b.test.ts", PASSING);
    const { code, output } = npmTest();
    assert.equal(code, 1);
    assert.match(output, /b\.test\.js was not built/);
  });

  it("does not run what is left of a test whose source is gone", () => {
    testFile("one/a.test.js", PASSING);
    write("build/test/one/gone.test.js", `throw new Error("still here");`);
    assert.equal(npmTest().code, 0);
  });

  it("runs only the suites that are named", () => {
    testFile("one/a.test.js", PASSING);
    testFile("two/b.test.js", `throw new Error("not asked for");`);
    const { code, output } = npmTest("one");
    assert.equal(code, 0, output);
    assert.match(output, /^# tests 1$/m);
  });

  it("refuses a suite that does not exist, and names those that do", () => {
    testFile("one/a.test.js", PASSING);
    const { code, output } = npmTest("oen");
    assert.equal(code, 2);
    assert.match(output, /no suite is called "oen"; there are: one/);
  });

  it("soaks only the tests that have a longer form, and tells them so", () => {
    testFile("one/a.test.js", `throw new Error("has no longer form");`);
    testFile(
      "two/b.test.js",
      `import { it } from "node:test"; it("runs long", () => { console.log("rounds: " + process.env.SALVOR_SOAK); });`,
    );
    const { code, output } = npmTest("--soak");
    assert.equal(code, 0, output);
    assert.match(output, /rounds: 1/);
    assert.match(output, /^# tests 1$/m);
  });
});
