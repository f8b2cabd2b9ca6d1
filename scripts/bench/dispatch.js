// What a validated call costs over calling the function itself: through a ToolSet, through a zod-validated tool() of the AI SDK, and
// judged by what typia compiled. `npm run bench -- dispatch`, about a minute; the first time it installs what it compares with.
//
// All of them run the same handler on the same inputs, in short interleaved rounds, so that a busy machine is busy for each alike.
// Ours judges and copies the input and the output. generateText judges the input only, so there is a row for either: "input only" is
// what each does by itself without an output schema, which for ours includes that the output is JSON and copied.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Tool, ToolSet } from "../../dist/index.js";
import { ensureBenchPackages } from "../lib/bench-packages.js";
import { quartiles } from "../lib/quartiles.js";

const ROUNDS = 60;
const CALLS = 4_000;
const WARM_UP = 10;

class RefundOrder {
  call(_ctx, { order_id: id, amount_cents: cents }) {
    return { refund_id: `re_${id}`, amount_cents: cents };
  }
}
Tool("write", { description: "Refund a paid order." })(RefundOrder);

const closed = (properties) => ({
  type: "object",
  required: Object.keys(properties),
  properties,
  additionalProperties: false,
});
const INPUT = closed({ order_id: { type: "string" }, amount_cents: { type: "integer", minimum: 1 } });
const OUTPUT = closed({ refund_id: { type: "string" }, amount_cents: { type: "integer" } });
const INPUTS = Array.from({ length: 16 }, (_, at) => ({ order_id: `A-${at}`, amount_cents: 100 + at }));

const quiet = () => undefined;
const CTX = {
  signal: new AbortController().signal,
  attempt: 1,
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
};

function direct() {
  const handler = new RefundOrder();
  return (input) => handler.call(CTX, input);
}

function ours(schemas) {
  const none = { formatVersion: 1, generator: {}, inputs: {}, tools: {} };
  const tool = new ToolSet(none).register(new RefundOrder(), schemas).get("refund_order");
  return (input) => tool.callJson(CTX, input);
}

/** As generateText does once it has parsed a model's tool call. */
async function aiSdk(judgesOutput) {
  const { asSchema, tool } = await import("ai");
  const { executeTool, safeValidateTypes } = await import("@ai-sdk/provider-utils");
  const { z } = await import("zod");
  const handler = new RefundOrder();
  const refund = tool({
    description: "Refund a paid order.",
    inputSchema: z.strictObject({ order_id: z.string(), amount_cents: z.int().min(1) }),
    execute: (input) => handler.call(CTX, input),
  });
  const schema = asSchema(refund.inputSchema);
  const answer = z.strictObject({ refund_id: z.string(), amount_cents: z.int() });
  const options = { toolCallId: "1", messages: [], abortSignal: CTX.signal };
  return async (value) => {
    const parsed = await safeValidateTypes({ value, schema });
    if (!parsed.success) throw parsed.error;
    let output;
    for await (const part of executeTool({ execute: refund.execute, input: parsed.value, options })) {
      if (part.type === "final") output = part.output;
    }
    if (judgesOutput) await answer.parseAsync(output);
    return output;
  };
}

/** typia needs its types compiled; with `typia generate` no compiler has to be patched. */
async function typia() {
  const here = import.meta.dirname;
  const out = mkdtempSync(join(here, "node_modules/.typia-"));
  try {
    const command = join(here, "node_modules/typia/lib/executable/typia.js");
    const project = join(here, "fixtures/typia/tsconfig.json");
    const args = [
      command,
      "generate",
      "--input",
      join(here, "fixtures/typia"),
      "--output",
      out,
      "--project",
      project,
    ];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: here, encoding: "utf8" });
    if (status !== 0) throw new Error(`typia generate: ${stderr || stdout}`);
    const { default: ts } = await import("typescript");
    const source = readFileSync(join(out, "refund.ts"), "utf8");
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { target: "ES2022", module: "ESNext" },
    });
    writeFileSync(join(out, "refund.mjs"), outputText);
    const { validateInput, validateOutput } = await import(pathToFileURL(join(out, "refund.mjs")).href);
    const handler = new RefundOrder();
    const checked = (verdict) => {
      if (!verdict.success) throw new Error(JSON.stringify(verdict.errors));
      return verdict.data;
    };
    return async (input) => checked(validateOutput(await handler.call(CTX, checked(validateInput(input)))));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

async function microseconds(call) {
  // The time of the processor, not of the clock: what else the machine does is no part of a call.
  const start = process.cpuUsage();
  for (let at = 0; at < CALLS; at += 1) await call(INPUTS[at % INPUTS.length]);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / CALLS;
}

/** What refuses nothing is not compared. */
async function checkRefuses(name, call) {
  const refused = await Promise.resolve()
    .then(() => call({ order_id: "A-1", amount_cents: 0 }))
    .then(
      () => false,
      () => true,
    );
  if (!refused) throw new Error(`${name} takes an input that its schema refuses`);
}

export async function measure() {
  ensureBenchPackages();
  const calls = new Map([["direct", direct()]]);
  const absent = {};
  const contestants = {
    salvor: () => ours({ inputSchema: INPUT, outputSchema: OUTPUT }),
    "ai + zod": () => aiSdk(true),
    typia,
    "salvor, input only": () => ours({ inputSchema: INPUT }),
    "ai + zod, input only": () => aiSdk(false),
  };
  for (const [name, make] of Object.entries(contestants)) {
    try {
      const call = await make();
      await checkRefuses(name, call);
      calls.set(name, call);
    } catch (error) {
      if (name.startsWith("salvor")) throw error;
      absent[name] = error.message;
    }
  }
  const rounds = new Map([...calls.keys()].map((name) => [name, []]));
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const times = new Map();
    for (const [name, call] of calls) times.set(name, await microseconds(call));
    if (round < 0) continue;
    for (const [name, time] of times) rounds.get(name).push({ time, overhead: time - times.get("direct") });
  }
  const measured = [...rounds].map(([name, all]) => [
    name,
    {
      us_per_call: quartiles(all.map(({ time }) => time)),
      overhead_us: quartiles(all.map(({ overhead }) => overhead)),
    },
  ]);
  return { input: "two members", calls: Object.fromEntries(measured), absent };
}

export function print({ calls, absent }) {
  const ours = calls.salvor.overhead_us[1];
  const row = (name, ...cells) =>
    console.log(name.padEnd(22), cells.map((cell) => cell.padStart(16)).join(""));
  row("", "µs per call", "overhead µs", "quartiles", "over salvor's");
  for (const [name, { us_per_call: time, overhead_us: over }] of Object.entries(calls)) {
    if (name === "direct") row(name, time[1].toFixed(2));
    else {
      const around = `${over[0].toFixed(2)} - ${over[2].toFixed(2)}`;
      row(name, time[1].toFixed(2), over[1].toFixed(2), around, (over[1] / ours).toFixed(2));
    }
  }
  for (const [name, why] of Object.entries(absent)) console.log(`${name}: could not run: ${why}`);
}
