import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { spawnServer } from "../support/spawn-server.js";

/** Packages that a server needs only once somebody asks for what they do. */
const LATER =
  /node_modules\/(?:pg|@anthropic-ai|@modelcontextprotocol|prom-client|typescript|typescript-json-schema)\//;

/** The files of ours that a server starts from, without the hashes in their names: no client, generator, database or kit for stores. */
const OURS = ["cli/main", "common", "core", "judge", "lowdb", "program", "runtime", "serve", "server"];

const DIST = new URL("../../../dist/", import.meta.url).href;

/** Writes down every module that a process loads. */
const NOTE_MODULES = `
import { register } from "node:module";
const hooks = \`
import { appendFileSync } from "node:fs";
export function load(url, context, next) {
  appendFileSync(process.env.SALVOR_TEST_MODULES, url + "\\\\n");
  return next(url, context);
}\`;
register("data:text/javascript," + encodeURIComponent(hooks));
`;

describe("the log of a start", () => {
  it("speaks of a recovered folder where there was something to recover", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "salvor-recovered-"));
    try {
      const first = await spawnServer({ dataDir });
      assert.equal((await fetch(`${first.url}/v1/client-runs`, { method: "POST", body: "{}" })).status, 201);
      await first.stop();
      assert.match(first.stderr, /"msg":"stopped"/);
      assert.doesNotMatch(first.stderr, /recovered/);
      const second = await spawnServer({ dataDir });
      await second.stop();
      assert.match(second.stderr, /"runs":1,.*"the data folder is recovered"/);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

describe("the start of salvor serve", () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "salvor-start-"));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  it("loads nothing of a database, a model, MCP, metrics or the generator before it is used", async () => {
    const hooks = join(dir, "note-modules.mjs");
    const list = join(dir, "modules");
    await writeFile(hooks, NOTE_MODULES);
    const server = await spawnServer({
      env: { NODE_OPTIONS: `--import ${pathToFileURL(hooks).href}`, SALVOR_TEST_MODULES: list },
    });
    const loaded = async (): Promise<readonly string[]> => (await readFile(list, "utf8")).trim().split("\n");
    try {
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
      const atStart = await loaded();
      const ours = atStart.filter((url) => url.startsWith(DIST)).map((url) => url.slice(DIST.length));
      assert.deepEqual(ours.map((file) => file.replace(/(?:-[\w-]{8})?\.js$/, "")).sort(), OURS);
      assert.deepEqual(
        atStart.filter((url) => LATER.test(url)),
        [],
      );
      // What is noted would be noted: the first scrape loads the metrics' package.
      assert.equal((await fetch(`${server.url}/metrics`)).status, 200);
      assert.ok((await loaded()).some((url) => url.includes("/node_modules/prom-client/")));
    } finally {
      await server.stop();
    }
  });
});
