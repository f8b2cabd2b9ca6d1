// What a program with 100 tools takes longer to start, register them and make one call than a program that does nothing:
// with schemas compiled when a tool is first called, and with validators that ajv wrote as code beforehand.
// `npm run bench -- cold-start`, about a minute. Each is a process of its own, in interleaved rounds.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { quartiles } from "../lib/quartiles.js";
import { root } from "../lib/root.js";

const ROUNDS = 20;
const TOOLS = 100;

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

/** A program with the tools, which names the package as its users do. `options` is what the set is made with besides the schemas, in code. */
const program = (options, imports = "") => `
import { Tool, ToolSet } from "salvor";
import schemas from "./tools.schemas.json" with { type: "json" };
${imports}
const tools = new ToolSet(schemas${options});
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

const LAZY = program("");

/** The same with validators made beforehand, through the seam that a `ToolSet` has for them. */
const PRECOMPILED = program(
  ", { validator: { compile } }",
  `import { createRequire } from "node:module";
const load = createRequire(import.meta.url);
const names = load("./names.json");
const validators = load("./validators.cjs");
const judge = (validate) => (value) =>
  validate(value) ? [] : validate.errors.map(({ instancePath, message }) => ({ path: instancePath, message }));
const compile = Object.assign((schema) => judge(validators[names[JSON.stringify(schema)]]), { keepsNoSchema: true });`,
);

/** Writes every schema of an artefact as code, and which function is whose. */
function precompile(artefact, dir) {
  const ajv = new Ajv({ code: { source: true }, strict: false, ownProperties: true });
  const names = {};
  for (const [tool, { input, output }] of Object.entries(artefact.tools)) {
    for (const [kind, schema] of Object.entries({ input, output })) {
      ajv.addSchema(schema, `${tool}_${kind}`);
      names[JSON.stringify(schema)] = `${tool}_${kind}`;
    }
  }
  const functions = Object.fromEntries(Object.values(names).map((name) => [name, name]));
  writeFileSync(join(dir, "validators.cjs"), standalone.default(ajv, functions));
  writeFileSync(join(dir, "names.json"), JSON.stringify(names));
}

const REPORT = `
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(String((user + system) / 1000));
});
`;

function start(file) {
  const begun = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr.slice(-2000));
  return { wall: performance.now() - begun, cpu: Number(stdout) };
}

export async function measure() {
  // Inside the checkout: the programs name this package, and what ajv writes loads parts of ajv.
  const dir = mkdtempSync(join(root, "build/bench-"));
  try {
    const artefact = {
      formatVersion: 1,
      generator: {},
      inputs: {},
      tools: Object.fromEntries(Array.from({ length: TOOLS }, (_, at) => [`tool_${at}`, toolOf(at)])),
    };
    writeFileSync(join(dir, "tools.schemas.json"), JSON.stringify(artefact, undefined, 2));
    writeFileSync(join(dir, "empty.mjs"), REPORT);
    precompile(artefact, dir);
    const programs = { lazy: LAZY, precompiled: PRECOMPILED };
    for (const [name, code] of Object.entries(programs))
      writeFileSync(join(dir, `${name}.mjs`), code + REPORT);
    const empty = { wall: [], cpu: [] };
    const over = Object.fromEntries(Object.keys(programs).map((name) => [name, { wall: [], cpu: [] }]));
    for (let round = -2; round < ROUNDS; round += 1) {
      const bare = start(join(dir, "empty.mjs"));
      const full = Object.keys(programs).map((name) => [name, start(join(dir, `${name}.mjs`))]);
      if (round < 0) continue;
      for (const kind of ["wall", "cpu"]) {
        empty[kind].push(bare[kind]);
        for (const [name, took] of full) over[name][kind].push(took[kind] - bare[kind]);
      }
    }
    const each = ({ wall, cpu }) => ({ wall: quartiles(wall), cpu: quartiles(cpu) });
    return {
      tools: TOOLS,
      empty_ms: each(empty),
      over_empty_ms: Object.fromEntries(Object.entries(over).map(([name, times]) => [name, each(times)])),
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export function print({ tools, empty_ms: empty, over_empty_ms: over }) {
  const row = (name, ...cells) =>
    console.log(name.padEnd(52), cells.map((cell) => cell.padStart(10)).join(""));
  const times = (name, took) => {
    for (const kind of ["wall", "cpu"]) row(`${name}, ${kind}`, ...took[kind].map((ms) => ms.toFixed(0)));
  };
  row("milliseconds", "quartile", "median", "quartile");
  times("empty program", empty);
  times(`${tools} tools and a call on top`, over.lazy);
  times("  the same, validators written beforehand", over.precompiled);
}
