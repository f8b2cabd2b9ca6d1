// npm test [-- SUITE...]: builds, checks the formatting, lints, and runs every suite (a folder of test/).
// With suites named, builds and runs only those.
//   --built   take the build as it is, and leave formatting and lint to others (npm run test:nodes)
//   --file-limit SECONDS   how long one test file may take
//   --soak    only the tests that have a longer form, in that form (SALVOR_SOAK=1), with no limit of time (npm run soak)
import { spawn } from "node:child_process";
import { setMaxListeners } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { root } from "./lib/root.js";
import { noCounts, seconds } from "./lib/run-file.js";
import { runSuite } from "./lib/run-suite.js";
import { Slots } from "./lib/slots.js";
import { chooseSuites, findSuites, missingFiles, onlySoaking } from "./lib/suites.js";

/** All of `npm test`, in minutes. */
const LIMIT_MINUTES = 15;
/** One test file, in seconds: far beyond what any needs, so that a hanging one is named before the limit is reached. */
const FILE_LIMIT_SECONDS = 300;

/** Test files that run at once, at most and for each core: most of them wait for servers that they have started. */
const MOST_AT_ONCE = 8;
const A_CORE = 2;

const started = performance.now();
const color = process.stdout.isTTY && process.env.NO_COLOR === undefined;
const print = (line) => process.stdout.write(`${line}\n`);
const { soak, built, fileLimit, suites } = readArguments();
const failed = [];
const total = noCounts();
const table = [];
/** The suite whose lines were printed last. */
let heading;
const limit = new AbortController();
// Every test file that is running listens to it.
setMaxListeners(0, limit.signal);

if (soak) process.env.SALVOR_SOAK = "1";
else {
  setTimeout(() => {
    failed.push(`npm test may take ${LIMIT_MINUTES} minutes in all, and they are over`);
    limit.abort();
    setTimeout(finish, 10_000);
  }, LIMIT_MINUTES * 60_000).unref();
}

if (!built) {
  await step("build", "scripts/build.js", "--test");
  if (failed.length > 0) finish();
}
const slots = new Slots(Math.min(A_CORE * availableParallelism(), MOST_AT_ONCE));
// A suite that ends with one long file leaves no core idle: the files of the next one begin, and what only reads runs beside.
const running = suites.chosen.map(take);
if (!built && suites.all) running.push(slots.first(read));
await Promise.all(running);
finish();

async function read() {
  await step("format", "node_modules/prettier/bin/prettier.cjs", "--check", "--log-level", "warn", ".");
  await step("lint", "node_modules/eslint/bin/eslint.js", ".");
}

async function take(suite) {
  const missing = missingFiles(suite);
  for (const file of missing) failed.push(`${file} was not built: run node scripts/build.js --test`);
  if (missing.length > 0) return;
  const { counts, failures, ms } = await runSuite(suite, {
    root,
    slots,
    timeout: soak ? Infinity : fileLimit * 1000,
    signal: limit.signal,
    color,
    print: (line) => {
      if (heading !== suite.name) print(`\n${suite.name}`);
      heading = suite.name;
      print(line);
    },
  });
  failed.push(...failures.map((title) => `${suite.name}: ${title}`));
  for (const [key, count] of Object.entries(counts)) total[key] += count;
  table.push({ suite, counts, ms });
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        soak: { type: "boolean" },
        built: { type: "boolean" },
        "file-limit": { type: "string", default: String(FILE_LIMIT_SECONDS) },
      },
    });
    const fileLimit = Number(values["file-limit"]);
    if (!(fileLimit > 0)) throw new Error(`--file-limit takes seconds, not "${values["file-limit"]}"`);
    const chosen = chooseSuites(findSuites(root), positionals);
    const soaking = values.soak === true ? onlySoaking(chosen) : chosen;
    if (soaking.length === 0) throw new Error("nothing to run: no test file there reads SALVOR_SOAK");
    return {
      soak: values.soak === true,
      built: values.built === true,
      fileLimit,
      suites: { chosen: soaking, all: positionals.length === 0 && values.soak !== true },
    };
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}

function step(name, script, ...args) {
  const begun = performance.now();
  return new Promise((done) => {
    const child = spawn(process.execPath, [join(root, script), ...args], {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      signal: limit.signal,
    });
    child.once("error", (error) => print(error.message));
    child.once("close", (code) => {
      print(`${code === 0 ? "ok  " : "FAIL"} ${name} (${seconds(performance.now() - begun)})`);
      if (code !== 0) failed.push(name);
      done();
    });
  });
}

function finish() {
  print("");
  const inOrder = table.sort((a, b) => (a.suite.name < b.suite.name ? -1 : 1));
  for (const { suite, counts, ms } of inOrder) {
    const over = !soak && ms > suite.budget * 1000 ? "  WARNING: over its budget" : "";
    const count = (key) => `${String(counts[key] ?? 0).padStart(5)} ${key}`;
    const shown = ["pass", "fail", "cancelled", "skipped", "todo"].map(count).join("");
    const time = `${seconds(ms).padStart(8)}${soak ? "" : ` of ${suite.budget} s`}`;
    print(`${suite.name.padEnd(14)}${shown}${time}${over}`);
  }
  for (const what of failed) print(`FAILED: ${what}`);
  print("");
  // The closing lines of node's own runner, once, over all suites.
  for (const [key, count] of Object.entries(total)) print(`# ${key} ${count}`);
  print(`# duration_ms ${(performance.now() - started).toFixed(0)}`);
  process.exit(failed.length === 0 ? 0 : 1);
}
