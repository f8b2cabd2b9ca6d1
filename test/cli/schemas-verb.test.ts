import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { runSalvor } from "../support/run-salvor.js";

const TOOL = `
import { Tool, type ToolCtx, type ToolHandler } from "salvor";
interface Input { readonly order_id: string }
/** Finds an order. */
@Tool("read")
export class FindOrder implements ToolHandler<Input, { found: boolean }> {
  call(_: ToolCtx, input: Input) {
    return { found: input.order_id !== "" };
  }
}
`;

describe("salvor schemas", () => {
  let cwd: string;
  before(async () => {
    cwd = await mkdtemp(join(tmpdir(), "salvor-schemas-"));
    const salvor = fileURLToPath(import.meta.resolve("salvor")).replace(/\.js$/, ".d.ts");
    const compilerOptions = {
      target: "ES2022",
      module: "NodeNext",
      strict: true,
      types: [],
      paths: { salvor: [salvor] },
    };
    await writeFile(join(cwd, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["tools.ts"] }));
    await writeFile(join(cwd, "tools.ts"), TOOL);
  });
  after(() => rm(cwd, { recursive: true, force: true }));

  const schemas = (...args: readonly string[]) =>
    runSalvor(["schemas", "--out", "out.json", ...args], { cwd });

  it("writes the file, finds it up to date, and exits 2 once a type has changed", async () => {
    const written = await schemas();
    assert.equal(written.code, 0, written.stderr);
    assert.match(await readFile(join(cwd, "out.json"), "utf8"), /"find_order"/);
    assert.equal((await schemas("--check")).code, 0);

    await writeFile(
      join(cwd, "tools.ts"),
      TOOL.replace("found: boolean", "found: string").replace("!==", "+"),
    );
    const stale = await schemas("--check");
    assert.equal(stale.code, 2);
    assert.match(stale.stderr, /find_order/);
    assert.match(stale.stderr, /salvor schemas/);
  });

  it("refuses what it cannot express with what to type next, and exits 1", async () => {
    await writeFile(join(cwd, "tools.ts"), TOOL.replace("order_id: string", "order_id: string; at: Date"));
    const { code, stderr } = await schemas();
    assert.equal(code, 1);
    assert.match(stderr, /tools\.ts/);
    assert.match(stderr, /Date/);
    assert.match(stderr, /\nNext: .*salvor schemas --out out\.json\n$/);
  });
});
