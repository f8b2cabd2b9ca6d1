// How long the schemas of 1, 100 and 500 tools take, each in a process of its own, against what the compiler alone takes to check
// the same program in the same run; and what an edit costs a generator that has been going on. `npm run bench -- generate`.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SchemaGenerator } from "../../build/src/schema/generator/index.js";
import { toolProgram, toolText } from "./lib/tool-program.js";

const SIZES = [1, 100, 500];
const ROUNDS = 3;
const LARGEST = 500;

const GENERATE = `
  const { generateSchemas } = await import(${JSON.stringify(new URL("../../build/src/schema/generator/index.js", import.meta.url).href)});
  const { problems } = generateSchemas({ tsconfig: "tsconfig.json", cwd: process.cwd() });
  if (problems.length > 0) throw new Error(JSON.stringify(problems[0]));`;
const CHECK = `
  const { default: ts } = await import(${JSON.stringify(import.meta.resolve("typescript"))});
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} };
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile("tsconfig.json", {}, host);
  const program = ts.createProgram(fileNames, options);
  if (program.getSemanticDiagnostics().length > 0) throw new Error("the program has errors");`;

/** What a program costs in a process of its own, from its start to its end. */
function cost(code, cwd) {
  const measured = `
    ${code}
    const { user, system } = process.cpuUsage();
    console.log(JSON.stringify({ ms: performance.now(), cpu_ms: (user + system) / 1000 }));`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", measured], {
    cwd,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function medians(costs) {
  return { ms: median(costs.map(({ ms }) => ms)), cpu_ms: median(costs.map(({ cpu_ms: cpu }) => cpu)) };
}

function whole(size) {
  const program = toolProgram(size);
  try {
    const generated = [];
    const checked = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      checked.push(cost(CHECK, program.folder));
      generated.push(cost(GENERATE, program.folder));
    }
    const ratios = generated.map(({ cpu_ms: cpu }, round) => cpu / checked[round].cpu_ms);
    return { generate: medians(generated), check: medians(checked), ratio: median(ratios) };
  } finally {
    program.remove();
  }
}

/** What it costs to generate again after each of these edits, when it has been done before. */
function edits() {
  const program = toolProgram(LARGEST);
  try {
    const generator = new SchemaGenerator({ tsconfig: "tsconfig.json", cwd: program.folder });
    const again = () => {
      const start = performance.now();
      const before = process.cpuUsage();
      const { problems } = generator.generate();
      if (problems.length > 0) throw new Error(JSON.stringify(problems[0]));
      const { user, system } = process.cpuUsage(before);
      return { ms: performance.now() - start, cpu_ms: (user + system) / 1000 };
    };
    const replace = (file, from, to) => {
      program.write(file, readFileSync(join(program.folder, file), "utf8").replace(from, to));
      return again();
    };
    const first = again();
    const rounds = (edit) => medians(Array.from({ length: 5 }, (_, round) => edit(round)));
    const tool = (round) => `src/tools/change-order-${round}.ts`;
    return {
      first,
      "a body": rounds((round) => replace(tool(round), "sum + next", `sum + next + ${round}`)),
      "a type of one tool": rounds((round) => {
        program.write(tool(round), toolText(round, `\n  more${round}?: string;`));
        return again();
      }),
      "a type of 20 tools": rounds((round) =>
        replace(`src/areas/area-${round}.ts`, "sku: string", `more: ${round}; sku: string`),
      ),
      "a file more": rounds((round) => {
        const name = `ChangeOrder${LARGEST}${round}`;
        program.write(
          `src/tools/more-${round}.ts`,
          toolText(0).replace("class ChangeOrder0", `class ${name}`),
        );
        return again();
      }),
      "a type of every tool": medians([replace("src/common.ts", "currency:", "more?: string; currency:")]),
    };
  } finally {
    program.remove();
  }
}

export function measure() {
  return { whole: Object.fromEntries(SIZES.map((size) => [size, whole(size)])), edits: edits() };
}

export function print({ whole: sizes, edits: { first, ...after } }) {
  const row = (name, ...cells) =>
    console.log(name.padEnd(34), cells.map((cell) => String(cell).padStart(12)).join(""));
  row("", "ms", "CPU ms", "check ms", "CPU / check");
  for (const [size, { generate, check, ratio }] of Object.entries(sizes))
    row(
      `${size} tools`,
      generate.ms.toFixed(0),
      generate.cpu_ms.toFixed(0),
      check.ms.toFixed(0),
      ratio.toFixed(2),
    );
  row(`${LARGEST} tools, the first time`, first.ms.toFixed(0), first.cpu_ms.toFixed(0));
  for (const [edit, { ms, cpu_ms: cpu }] of Object.entries(after))
    row(`after an edit of ${edit}`, ms.toFixed(0), cpu.toFixed(0));
}
