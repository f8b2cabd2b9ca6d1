import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runSalvor } from "../support/run-salvor.js";
import { Program } from "../schema/generator/program.js";

const SOURCE = `import { Tool, type ToolCtx } from "salvor";
interface Line { sku: string; next?: Line }
interface In {
  order_id: string;
  /** @integer @minimum 1 */
  amount: number;
  lines: Line[];
  pair: [string, number];
}
interface Out { amount: number; receipt: string | null }
/** Refunds an order. */
@Tool("write")
export class RefundCard { call(ctx: ToolCtx, input: In): Out { return null!; } }
/** Sets it. */
@Tool("idempotent", { name: "prioritise" })
export class SetPriority { call(ctx: ToolCtx, input: Wanted): boolean { return true; } }
interface Wanted {
  /** @default null */
  to: "high" | null;
}
`;

const SECOND = `import { Tool, type ToolCtx } from "salvor";
/** Sets another. */
@Tool("read", { name: "other" })
export class SetPriority { call(ctx: ToolCtx, input: { id: string }): boolean { return true; } }
`;

describe("salvor declare", () => {
  let program: Program;
  before(() => {
    program = new Program({ "src/tools.ts": SOURCE, "src/second.ts": SECOND });
  });
  after(() => {
    program[Symbol.dispose]();
  });
  const declare = (...args: readonly string[]) => runSalvor(["declare", ...args], { cwd: program.folder });
  const write = (name: string, text: string) => {
    writeFileSync(join(program.folder, name), text);
  };

  it("drafts a declaration that a server accepts and that has not drifted", async () => {
    const drafted = await declare("refund_card");
    assert.equal(drafted.code, 0, drafted.stderr);
    assert.equal(drafted.stderr, "");
    assert.match(drafted.stdout, /^"\$schema" = "http:\/\/json-schema\.org\/draft-07\/schema#"$/m);
    assert.match(drafted.stdout, /^trust_completion = false$/m);
    assert.equal((await declare("RefundCard")).stdout, drafted.stdout);
    write("refund-card.toml", drafted.stdout);
    const checked = await runSalvor(["check", "refund-card.toml"], { cwd: program.folder });
    assert.equal(checked.code, 0, checked.stderr);
    const compared = await declare("--check", "refund-card.toml");
    assert.deepEqual(compared, {
      code: 0,
      stdout: "refund_card: class and declaration are the same tool\n",
      stderr: "",
    });
  });

  it("exits 2 when they have drifted apart, naming each first place that differs", async () => {
    const { stdout } = await declare("refund_card");
    const drifted = stdout
      .replace('effect = "write"', 'effect = "read"')
      .replace("minimum = 1", "minimum = 2")
      .replace('type = "integer"', 'type = "integer"\ndescription = "Cents."');
    write("drifted.toml", drifted);
    write("gone.toml", 'name = "gone"\neffect = "read"\n[input_schema]\ntype = "object"\n');
    const { code, stdout: said, stderr } = await declare("--check", "drifted.toml", "gone.toml");
    assert.equal(code, 2);
    assert.equal(said, "");
    assert.deepEqual(stderr.split("\n").slice(0, 3), [
      "gone.toml: gone: no class in the program of tsconfig.json is this tool (its tools: other, prioritise, refund_card)",
      'drifted.toml: refund_card: effect differs: the class says "write", the operator "read"',
      "drifted.toml: refund_card: input_schema differs at $.properties.amount.minimum: the class has 1, the declaration has 2",
    ]);
    assert.match(stderr, /\nNext: .*salvor declare/);

    const json = await declare("--check", "drifted.toml", "--json");
    assert.equal(json.code, 2);
    const report = JSON.parse(json.stdout) as { ok: boolean; tools: { drifts: { path?: string }[] }[] };
    assert.equal(report.ok, false);
    assert.deepEqual(
      report.tools.map(({ drifts }) => drifts.map(({ path }) => path)),
      [[undefined, "$.properties.amount.minimum"]],
    );
  });

  it("says where a schema with a null goes, and what it says holds", async () => {
    const { code, stdout, stderr } = await declare("prioritise");
    assert.equal(code, 0);
    assert.match(stdout, /^input_schema_path = "prioritise\.input\.json"$/m);
    assert.match(stderr, /^Next: salvor declare prioritise --schema input > prioritise\.input\.json/m);
    write("prioritise.toml", stdout);
    write("prioritise.input.json", (await declare("prioritise", "--schema", "input")).stdout);
    const compared = await declare("--check", "prioritise.toml");
    assert.equal(compared.code, 0, compared.stderr);
  });

  it("exits 1 for a tool that there is not, a declaration at fault and a type that cannot be expressed", async () => {
    const missing = await declare("refund_crad");
    assert.equal(missing.code, 1);
    assert.match(
      missing.stderr,
      /its tools: other, prioritise, refund_card\)\nNext: did you mean refund_card\?\n$/,
    );

    write("faulty.toml", 'name = "refund_card"\n');
    const faulty = await declare("--check", "faulty.toml");
    assert.equal(faulty.code, 1);
    assert.match(faulty.stderr, /faulty\.toml:.*effect/);

    program.write(
      "src/bad.ts",
      SOURCE.replaceAll("lines: Line[]", "at: Date").replaceAll(/RefundCard|SetPriority|prioritise/g, "$&2"),
    );
    try {
      const refused = await declare("refund_card");
      assert.equal(refused.code, 1);
      assert.equal(refused.stdout, "");
      assert.match(refused.stderr, /src\/bad\.ts:\d+:\d+ RefundCard2 input\.at: Date is not JSON/);
    } finally {
      rmSync(join(program.folder, "src/bad.ts"));
    }
  });

  it("asks for a name where two classes share theirs", async () => {
    const { code, stderr } = await declare("SetPriority");
    assert.equal(code, 1);
    assert.match(
      stderr,
      /classes of other and prioritise are all called SetPriority\nNext: salvor declare other\n/,
    );
  });

  for (const args of [
    [],
    ["x", "--check", "a.toml", "--schema", "input"],
    ["x", "--json"],
    ["x", "--schema", "both"],
  ])
    it(`called as declare ${args.join(" ")} exits 2`, async () => {
      const { code, stdout, stderr } = await declare(...args);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /^salvor: .*\nNext: salvor declare --help/s);
    });
});
