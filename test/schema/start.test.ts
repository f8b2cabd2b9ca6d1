import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { it } from "node:test";

/** Which of the packages that take long to load are loaded when the code ends. */
function loadedBy(code: string): readonly string[] {
  const program = `
    import { createRequire } from "node:module";
    import { Tool, ToolSet } from ${JSON.stringify(import.meta.resolve("salvor"))};
    const own = (more) => ({ description: "Looks.", inputSchema: { type: "object", properties: { id: { type: "string", ...more } } } });
    class Look { call() { return 1; } }
    Tool("read")(Look);
    const tools = new ToolSet({ formatVersion: 1, generator: {}, inputs: {}, tools: {} });
    const ctx = { signal: new AbortController().signal, attempt: 1, log: console };
    ${code}
    const files = Object.keys(createRequire(import.meta.url).cache);
    const names = ["ajv", "canonicalize", "reflect-metadata", "re2js", "typescript", "typescript-json-schema", "pino", "pg", "koa", "lowdb", "lru-cache"];
    const places = [...names.map((name) => ["/node_modules/" + name + "/", name]), ["/dist/engines.cjs", "engines.cjs"]];
    console.log(JSON.stringify(places.filter(([place]) => files.some((file) => file.includes(place))).map(([, name]) => name)));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  return JSON.parse(stdout) as readonly string[];
}

it("a program that registers its tools loads no compiler of schemas before the first call, and then what it needs", () => {
  assert.deepEqual(loadedBy("tools.register(new Look(), own({}));"), []);
  assert.deepEqual(
    loadedBy("tools.register(new Look(), own({})); await tools.get('look').callJson(ctx, {});"),
    ["engines.cjs"],
  );
  assert.deepEqual(
    loadedBy(
      "tools.register(new Look(), own({ pattern: '^a' })); await tools.get('look').callJson(ctx, {});",
    ),
    ["re2js", "engines.cjs"],
  );
});
