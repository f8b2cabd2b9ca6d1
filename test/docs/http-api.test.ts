import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { JsonValue } from "#salvor/contract/json.js";
import { hashValue } from "#salvor/log/canonical-json.js";
import { EVENT_KINDS } from "#salvor/log/events.js";
import { attemptKey } from "#salvor/log/keys.js";
import { STATUS_OF } from "#salvor/server/api-error.js";
import { AppState, startServer, type RunningServer } from "#salvor/server/index.js";
import { openLowdbStore } from "#salvor/store/index.js";
import { REFUND_CARD, toolFiles } from "../support/tool-files.js";
import { spawnServer } from "../support/spawn-server.js";
import { codeBlocks, readPage, sources } from "./pages.js";
import { bash, patternOf } from "./scripts.js";
import { tableUnder } from "./tables.js";

const page = readPage("docs/http-api.md");

const rowsUnder = (heading: string) => tableUnder(page, heading);

function codesIn(cell = ""): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly later: boolean;
}

const endpoints: readonly Endpoint[] = rowsUnder("Endpoints")
  .filter(([first = ""]) => /^(?:GET|POST) /.test(first))
  .map(([first = "", , answer = ""]) => ({
    method: first.split(" ")[0] ?? "",
    path: (codesIn(first)[0] ?? "").replace(/\?.*/, ""),
    later: answer.includes("(later)"),
  }));

describe("docs/http-api.md", () => {
  const folder = mkdtempSync(join(tmpdir(), "salvor-http-api-"));
  let server: RunningServer;
  before(async () => {
    const store = await openLowdbStore({ dir: folder });
    server = await startServer(new AppState({ store }), { host: "127.0.0.1", port: 0 });
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function answerTo({ method, path }: Endpoint): Promise<{ status: number; code: string | undefined }> {
    const url = server.url + path.replace("{id}", randomUUID());
    const response = await fetch(url, { method, ...(method === "POST" && { body: "{}" }) });
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    const { error } = (isJson ? await response.json() : {}) as { error?: { code: string } };
    return { status: response.status, code: error?.code };
  }

  it("lists endpoints, and none that is not served", () => {
    assert.ok(endpoints.length >= 20);
    assert.deepEqual(
      endpoints.filter(({ later }) => later),
      [],
    );
  });

  for (const endpoint of endpoints) {
    const { method, path, later } = endpoint;
    it(`is right that ${method} ${path} is ${later ? "not served yet" : "served"}`, async () => {
      const { code } = await answerTo(endpoint);
      if (later) assert.equal(code, "not_found");
      else assert.ok(code !== "not_found" && code !== "method_not_allowed", code);
    });
  }

  it("lists every route that the server has", () => {
    const routes = sources()
      .filter(({ path }) => path.startsWith("src/server/"))
      .flatMap(({ text }) => [...text.matchAll(/\brouter\.(get|post|put|delete|patch)\(\s*"([^"]+)"/g)])
      .map(([, method = "", path = ""]) => `${method.toUpperCase()} ${path.replaceAll(":id", "{id}")}`);
    assert.ok(routes.length >= 10);
    const listed = endpoints.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(
      routes.filter((route) => !listed.includes(route)),
      [],
    );
  });

  it("lists every error code with its status", () => {
    const listed = rowsUnder("Errors")
      .filter(([, , meaning = ""]) => !meaning.startsWith("(later)"))
      .flatMap(([status, codes]) => codesIn(codes).map((code) => [code, Number(status)] as const));
    assert.deepEqual(Object.fromEntries(listed), STATUS_OF);
  });

  it("lists every kind of event", () => {
    assert.deepEqual(
      rowsUnder("Events").flatMap(([kind]) => codesIn(kind)),
      [...EVENT_KINDS],
    );
  });

  it("lists every capability", async () => {
    const response = await fetch(`${server.url}/v1/capabilities`);
    const { capabilities } = (await response.json()) as { capabilities: Record<string, boolean> };
    const listed = [...page.text.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| .*$/gm)].flatMap(([, cell]) =>
      codesIn(cell),
    );
    for (const name of Object.keys(capabilities)) assert.ok(listed.includes(name), name);
  });

  it("shows hashes as they are computed", () => {
    const rows = rowsUnder("JSON");
    assert.ok(rows.length >= 3);
    for (const [value, hash] of rows) {
      assert.equal(hashValue(JSON.parse(codesIn(value)[0] ?? "") as JsonValue), codesIn(hash)[0]);
    }
    const key = attemptKey("00000000-0000-4000-8000-000000000001", 1, "charge_card");
    assert.ok(page.text.includes(`\`${key}\``), key);
  });

  it("shows every call by hand, answered as it says, and leaves none out", async () => {
    const files = await toolFiles();
    const declaration = await files.write("refund-card.toml", REFUND_CARD);
    const own = await spawnServer({ args: ["--client-tool", declaration] });
    try {
      const [section = ""] = /^## Every call by hand\n.*?(?=^## )/ms.exec(page.text) ?? [];
      const [script = ""] = codeBlocks({ ...page, text: section }).map(({ code }) => code);
      const printed = await bash(script.replaceAll("http://127.0.0.1:8080", own.url));
      const answers = printed.split("\n").filter((line) => line !== "");
      const promised = script.split("\n").filter((line) => /^# (?:\{|data: |salvor_)/.test(line));
      assert.equal(answers.length, promised.length, printed);
      promised.forEach((promise, at) => {
        assert.match(answers[at] ?? "", patternOf(promise.slice("# ".length)));
      });
      await own.stop();
      const called = own.stderr
        .split("\n")
        .filter((line) => line.includes('"route"'))
        .map((line) => JSON.parse(line) as { method: string; route: string })
        .map(({ method, route }) => `${method} ${route.replace(":id", "{id}")}`);
      for (const { method, path, later } of endpoints) {
        if (!later) assert.ok(called.includes(`${method} ${path}`), `${method} ${path}`);
      }
    } finally {
      await own.stop();
      await files.remove();
    }
  });
});
