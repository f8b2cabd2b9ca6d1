import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { root } from "../docs/pages.js";
import { TestServer } from "../support/test-server.js";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

void describe("the operator's page", () => {
  let server: TestServer;
  before(async () => {
    server = await TestServer.start({ clientToken: "client", operatorToken: "operator" });
  });
  after(() => server.stop());

  const get = (path: string, init: RequestInit = {}): Promise<Response> => fetch(server.url + path, init);

  it("is answered at its address and at those of its views, without a token, under a strict policy", async () => {
    for (const path of [
      "/",
      "/inbox",
      "/runs",
      "/tools",
      "/runs/3f0f0e0a-5c1d-4c53-9a4f-3a1b0a6d7c11",
      "/runs?group=waiting",
    ]) {
      const answer = await get(path);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8");
      assert.equal(answer.headers.get("content-security-policy"), POLICY);
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      assert.equal(answer.headers.get("referrer-policy"), "no-referrer");
      assert.equal(answer.headers.get("cache-control"), "no-cache");
      assert.match(await answer.text(), /<div id="page"><\/div>/);
    }
  });

  it("names files that a browser may keep, which are answered under the same policy", async () => {
    const page = await (await get("/")).text();
    const files = [...page.matchAll(/"(\/console\/[^"]+)"/g)].map(([, file = ""]) => file);
    assert.deepEqual(files.map((file) => file.replace(/-\w+\./, ".")).sort(), [
      "/console/page.js",
      "/console/style.css",
    ]);
    for (const file of files) {
      const answer = await get(file);
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get("content-type") ?? "", /^text\/(?:javascript|css); charset=utf-8$/);
      assert.equal(answer.headers.get("cache-control"), "public, max-age=31536000, immutable");
      assert.equal(answer.headers.get("content-security-policy"), POLICY);
    }
  });

  it("is not sent again to whoever has it", async () => {
    const etag = (await get("/")).headers.get("etag") ?? "";
    // What fetch sends with it asks for an answer that is new in any case; a browser does not.
    const { status, size } = await asked(`${server.url}/inbox`, { "if-none-match": etag });
    assert.deepEqual({ status, size }, { status: 304, size: 0 });
  });

  it("answers HEAD, and no other method", async () => {
    const head = await get("/", { method: "HEAD" });
    assert.equal(head.status, 200);
    assert.ok(Number(head.headers.get("content-length")) > 500);
    const post = await get("/", { method: "POST", headers: { authorization: "Bearer client" } });
    assert.equal(post.status, 405);
    assert.equal(post.headers.get("allow"), "GET, HEAD");
    assert.equal(((await post.json()) as { error: { code: string } }).error.code, "method_not_allowed");
  });

  it("leaves every other path to the API: what needs a token needs one, and what is not there is not", async () => {
    for (const path of [
      "/v1/runs",
      "/v1/client-tools",
      "/metrics",
      "/nowhere",
      "/inbox/",
      "/runs/a/b",
      "/console",
    ]) {
      assert.equal((await get(path)).status, 401, path);
    }
    const authorized = { headers: { authorization: "Bearer operator" } };
    for (const path of [
      "/nowhere",
      "/inbox/",
      "/runs/a/b",
      "/console",
      "/v1",
      "/console/missing.js",
      "/console/..%2f..%2fpackage.json",
    ]) {
      const answer = await get(path, authorized);
      assert.equal(answer.status, 404, path);
      assert.equal(((await answer.json()) as { error: { code: string } }).error.code, "not_found");
    }
    assert.equal((await get("/console/index.js.map", authorized)).status, 404);
    assert.equal((await get("/", { headers: { authorization: "Bearer wrong" } })).status, 401);
  });

  it("is kept from foreign pages and names like everything else", async () => {
    assert.equal((await get("/", { headers: { origin: "https://elsewhere.example" } })).status, 403);
    const open = await TestServer.start();
    try {
      const { status } = await asked(`${open.url}/`, { host: "rebound.example" });
      assert.equal(status, 403);
    } finally {
      await open.stop();
    }
  });

  it("is small, and brings the licence of what is packed into it", async () => {
    const names = readdirSync(join(root, "dist/console"))
      .map((name) => name.replace(/-\w+\./, "."))
      .sort();
    assert.deepEqual(names, ["LICENSES.txt", "index.html", "page.js", "style.css"]);
    const notices = await (await get("/console/LICENSES.txt")).text();
    assert.match(notices, /^preact 11\.2\.0 \(MIT\)$/m);
    assert.match(notices, /Permission is hereby granted/);
    const page = await (await get("/")).text();
    const script = /"(\/console\/page[^"]+)"/.exec(page)?.[1] ?? "";
    assert.ok((await (await get(script)).text()).length < 150_000);
  });
});

/** A request whose headers are sent as they are. */
function asked(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number | undefined; readonly size: number }> {
  return new Promise((done, failed) => {
    request(url, { headers }, (answer) => {
      let size = 0;
      answer.on("data", (chunk: Buffer) => (size += chunk.length));
      answer.on("end", () => {
        done({ status: answer.statusCode, size });
      });
    })
      .on("error", failed)
      .end();
  });
}
