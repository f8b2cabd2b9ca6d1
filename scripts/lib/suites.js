import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Seconds from a suite's first file to its last, beside whatever else runs, before its line in the summary carries a warning. */
const BUDGETS = {
  // A kill test each, which starts dozens of processes.
  adapters: 150,
  crash: 180,
  mcp: 90,
  store: 120,
  schema: 150,
  cli: 240,
  examples: 90,
  docs: 90,
  server: 180,
  browser: 240,
  wire: 90,
};
const DEFAULT_BUDGET = 60;

/** Every suite: a folder of test/ and the compiled form of each test file under it. Folders without a test file are no suites. */
export function findSuites(root) {
  const sources = join(root, "test");
  const suites = new Map();
  for (const entry of readdirSync(sources, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".test.ts")) continue;
    const source = join(entry.parentPath, entry.name);
    const path = relative(sources, source);
    const [name, ...inside] = path.split(sep);
    if (inside.includes("fixtures")) continue;
    if (inside.length === 0) throw new Error(`test/${path} lies in no suite: move it into a folder of test/`);
    const compiled = join(root, "build/test", path.replace(/\.ts$/, ".js"));
    if (!suites.has(name))
      suites.set(name, { name, budget: BUDGETS[name] ?? DEFAULT_BUDGET, sources: [], files: [] });
    suites.get(name).sources.push(source);
    suites.get(name).files.push(compiled);
  }
  return [...suites.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The suites of these names; all of them when none is named. */
export function chooseSuites(suites, names) {
  if (names.length === 0) return suites;
  return names.map((name) => {
    const suite = suites.find((one) => one.name === name);
    if (suite === undefined)
      throw new Error(`no suite is called "${name}"; there are: ${suites.map((one) => one.name).join(", ")}`);
    return suite;
  });
}

/** What is left of the suites when only the files that have a longer form for `npm run soak` count. */
export function onlySoaking(suites) {
  return suites
    .map((suite) => ({
      ...suite,
      files: suite.files.filter((_, at) => readFileSync(suite.sources[at], "utf8").includes("SALVOR_SOAK")),
    }))
    .filter((suite) => suite.files.length > 0);
}

/** The test files that were not compiled, so that none is left out silently. */
export function missingFiles(suite) {
  return suite.files.filter((file) => !existsSync(file));
}
