// What a program with 100 tools takes longer to start, register them and make one call than a program that does nothing.
// `npm run bench -- cold-start`, about a minute. Both are processes of their own, in interleaved rounds.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quartiles } from "../lib/quartiles.js";

const ROUNDS = 20;
const TOOLS = 100;
const SALVOR = new URL("../../dist/index.js", import.meta.url).href;

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

/** What `salvor schemas` writes of a tool with an input of seven members, in three levels, and an output of three. */
function toolOf(at) {
  const text = { type: "string" };
  const cents = { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 };
  const closed = (properties, required = Object.keys(properties)) => ({
    type: "object",
    properties,
    required,
    additionalProperties: false,
  });
  const line = closed({ sku: text, [`count_${at}`]: cents, note: text }, ["sku", `count_${at}`]);
  return {
    class: `Tool${at}`,
    file: "src/tools.ts",
    effect: "write",
    description: `Place order ${at}.`,
    input: {
      $schema: DRAFT_07,
      ...closed({
        order_id: text,
        kind: { enum: ["new", "again"] },
        lines: { type: "array", items: { $ref: "#/definitions/Line" } },
        buyer: closed({ email: { ...text, minLength: 3 }, name: text }),
      }),
      definitions: { Line: line },
    },
    output: { $schema: DRAFT_07, ...closed({ order_id: text, state: { enum: ["placed", "open"] }, cents }) },
    fingerprint: "",
  };
}

const PROGRAM = `
import { readFileSync } from "node:fs";
import { Tool, ToolSet } from ${JSON.stringify(SALVOR)};
const schemas = JSON.parse(readFileSync(new URL("tools.schemas.json", import.meta.url), "utf8"));
const tools = new ToolSet(schemas);
${Array.from(
  { length: TOOLS },
  (_, at) => `class Tool${at} { call(ctx, { order_id }) { return { order_id, state: "placed", cents: 1 }; } }
Tool("write", { name: "tool_${at}" })(Tool${at});
tools.register(new Tool${at}());`,
).join("\n")}
const log = console;
const input = { order_id: "A", kind: "new", lines: [{ sku: "s", count_7: 1 }], buyer: { email: "a@b", name: "B" } };
const { outcome } = await tools.get("tool_7").callJson({ signal: new AbortController().signal, attempt: 1, log }, input);
if (outcome !== "output") throw new Error(outcome);
`;

const REPORT = `
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(String((user + system) / 1000));
});
`;

function start(file) {
  const begun = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return { wall: performance.now() - begun, cpu: Number(stdout) };
}

export async function measure() {
  const dir = mkdtempSync(join(tmpdir(), "salvor-bench-"));
  try {
    const artefact = {
      formatVersion: 1,
      generator: {},
      inputs: {},
      tools: Object.fromEntries(Array.from({ length: TOOLS }, (_, at) => [`tool_${at}`, toolOf(at)])),
    };
    writeFileSync(join(dir, "tools.schemas.json"), JSON.stringify(artefact, undefined, 2));
    writeFileSync(join(dir, "empty.mjs"), REPORT);
    writeFileSync(join(dir, "tools.mjs"), PROGRAM + REPORT);
    const over = { wall: [], cpu: [] };
    const ratio = { wall: [], cpu: [] };
    const empty = { wall: [], cpu: [] };
    for (let round = -2; round < ROUNDS; round += 1) {
      const [bare, full] = [start(join(dir, "empty.mjs")), start(join(dir, "tools.mjs"))];
      if (round < 0) continue;
      for (const kind of ["wall", "cpu"]) {
        empty[kind].push(bare[kind]);
        over[kind].push(full[kind] - bare[kind]);
        ratio[kind].push((full[kind] - bare[kind]) / bare[kind]);
      }
    }
    return {
      tools: TOOLS,
      empty_ms: { wall: quartiles(empty.wall), cpu: quartiles(empty.cpu) },
      over_empty_ms: { wall: quartiles(over.wall), cpu: quartiles(over.cpu) },
      over_empty: { wall: quartiles(ratio.wall), cpu: quartiles(ratio.cpu) },
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export function print({ tools, empty_ms: empty, over_empty_ms: over, over_empty: ratio }) {
  const row = (name, ...cells) =>
    console.log(name.padEnd(34), cells.map((cell) => cell.padStart(10)).join(""));
  row("milliseconds", "quartile", "median", "quartile");
  for (const kind of ["wall", "cpu"]) {
    row(`empty program, ${kind}`, ...empty[kind].map((ms) => ms.toFixed(0)));
    row(`${tools} tools and a call on top, ${kind}`, ...over[kind].map((ms) => ms.toFixed(0)));
    row(`  in empty programs`, ...ratio[kind].map((each) => each.toFixed(2)));
  }
}
