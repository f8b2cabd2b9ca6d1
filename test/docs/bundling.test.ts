import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { build } from "esbuild";
import { readPage, root } from "./pages.js";
import { run } from "./scripts.js";

const PROGRAM = `
  import { Tool, ToolSet, type ToolCtx, type ToolHandler } from "salvor";
  @Tool("write", { description: "Refund." })
  class Refund implements ToolHandler<{ order: string }, string> {
    call(_ctx: ToolCtx, { order }: { order: string }) {
      console.log("performed");
      return order;
    }
  }
  const inputSchema = { type: "object", properties: { order: { type: "string", pattern: "^[A-Z]-[0-9]+$" } } };
  const tools = new ToolSet({ formatVersion: 1, generator: {}, inputs: {}, tools: {} }).register(new Refund(), { inputSchema });
  const ctx = { signal: AbortSignal.timeout(60_000), attempt: 1, log: console };
  for (const order of ["A-17", "17"]) {
    try {
      console.log(JSON.stringify(await tools.get("refund").callJson(ctx, { order })));
    } catch (error) {
      console.log(error.message.split("\\n")[0]);
    }
  }
`;

// Inside the package, so that `salvor` is what a user of the package gets; a bundle that holds it all may lie anywhere.
const folder = join(root, `build/bundling-${process.pid}`);

async function bundled(outfile: string, external: readonly string[]): Promise<string> {
  await build({
    stdin: { contents: PROGRAM, loader: "ts", resolveDir: folder },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    keepNames: true,
    external: [...external],
    outfile,
    logLevel: "silent",
  });
  return run(process.execPath, [outfile]);
}

describe("a bundle made by esbuild", () => {
  let elsewhere: string;
  before(async () => {
    await mkdir(folder, { recursive: true });
    elsewhere = await mkdtemp(join(tmpdir(), "salvor-bundling-"));
    await writeFile(join(elsewhere, "package.json"), '{"type":"module"}');
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
    await rm(elsewhere, { recursive: true, force: true });
  });

  it("works with the package left out of it, as docs/tools.md says", async () => {
    assert.ok(readPage("docs/tools.md").text.includes("--external:salvor"));
    const printed = await bundled(join(folder, "out.mjs"), ["salvor"]);
    const [performed, output, refused] = printed.split("\n");
    assert.equal(performed, "performed");
    assert.equal(output, '{"outcome":"output","output":"A-17"}');
    assert.match(refused ?? "", /\$\.order: expected text that matches the pattern/);
  });

  it("performs nothing unchecked when the package is part of it", async () => {
    const printed = await bundled(join(elsewhere, "out.mjs"), []);
    assert.doesNotMatch(printed, /performed/);
    assert.match(printed, /a schema of it does not compile, so it was not run/);
  });
});
