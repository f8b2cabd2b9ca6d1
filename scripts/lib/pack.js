// Packs build/src, what the compiler made of src, into dist, what is published: few files instead of hundreds, because loading
// modules one by one is most of what a start takes. Each module is in one file only, so that a class is the same class whichever
// of the package's entry points it came through.
import { build } from "esbuild";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { rollup } from "rollup";
import { inlinePackages } from "./inline-packages.js";
import { noticesOf } from "./notices.js";
import { packConsole } from "./pack-console.js";
import { writeChanged } from "./write-changed.js";

/** The files that other packages, people and we ourselves name, and what each is made of. */
const ENTRIES = {
  index: "index.js",
  "client/index": "client/index.js",
  "adapters/ai-sdk/index": "adapters/ai-sdk/index.js",
  "adapters/langchain/index": "adapters/langchain/index.js",
  "server/index": "server/index.js",
  "runtime/index": "runtime/index.js",
  "store/index": "store/index.js",
  "mcp/index": "mcp/index.js",
  "adapters/openai-agents/index": "adapters/openai-agents/index.js",
  "adapters/anthropic/index": "adapters/anthropic/index.js",
  "cli/main": "cli/main.js",
  "judge-worker": "schema/judge-worker.js",
  supervisor: "mcp/client/process/supervisor.js",
};

/**
 * What goes together into one file: all that the first of these loads, then what the next one loads besides, and so on. What
 * the client shares with others comes before all of them, for the client brings nothing else along.
 */
const GROUPS = {
  // Without the worker itself: what it keeps its judges with is no business of the thread that it relieves.
  judge: "schema/judge.js",
  // What a supervisor needs too, which loads nothing else: there is one for each server, and it has to be small.
  processes: "mcp/client/process/marked-processes.js",
  supervising: "mcp/client/process/supervisor-protocol.js",
  core: "index.js",
  program: "cli/program.js",
  runtime: "runtime/index.js",
  lowdb: "store/open-lowdb-store.js",
  server: "server/index.js",
  serve: "cli/serve.js",
  store: "store/index.js",
  mcp: "mcp/index.js",
};
const COMMON = "common";

/** Packages that are packed too, into a file of their own that is loaded late. */
const ENGINES = "schema/engines.cjs";
/**
 * Small packages that every program loads before it does anything. They are CommonJS, and the first such module that an ES
 * module imports brings along Node's reader of what CommonJS exports: that is more than all of our own modules take to load.
 */
const INLINED = ["canonicalize", "reflect-metadata/lite"];
/** The licences of the packages that are packed: they say that their notices go along. */
const NOTICES = "LICENSES.txt";

export async function pack(root) {
  const from = join(root, "build/src");
  const to = join(root, "dist");
  const modules = await packModules(root, from, to);
  const engines = await packEngines(root, from, to);
  const notices = join(to, NOTICES);
  writeChanged(
    notices,
    noticesOf(root, "what is in this folder", [...modules.packages, ...engines.packages]),
  );
  const written = new Set([
    ...modules.files,
    ...engines.files,
    notices,
    ...(await packConsole(root)),
    ...copyTypes(from, to),
  ]);
  for (const file of filesIn(to)) if (!written.has(file)) rmSync(file);
}

/** @returns the files that were written, and those of packages that are in them. */
async function packModules(root, from, to) {
  const bundle = await rollup({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(from, file)])),
    // Packages stay packages but for a few, and so does everything of Node.
    external: (id) => !id.startsWith(".") && !isAbsolute(id) && !INLINED.includes(id),
    plugins: [inlinePackages(root, INLINED), { name: "compiled-maps", load: withMap }],
    treeshake: false,
    onLog(level, log) {
      // Functions that call one another from two files are no fault; anything else is a thing of ours that cannot be packed.
      if (level === "warn" && log.code !== "CIRCULAR_DEPENDENCY") throw new Error(log.message);
    },
  });
  try {
    const { output } = await bundle.generate({
      dir: to,
      format: "es",
      sourcemap: true,
      sourcemapExcludeSources: true,
      chunkFileNames: "[name]-[hash].js",
      manualChunks: grouping(from),
      minifyInternalExports: false,
      hoistTransitiveImports: false,
    });
    const files = output.map((part) => {
      const file = join(to, part.fileName);
      writeChanged(file, part.type === "chunk" ? part.code : part.source);
      return file;
    });
    const packages = output
      .flatMap(({ fileName, map }) => map?.sources.map((file) => resolve(to, dirname(fileName), file)) ?? [])
      .filter((file) => file.includes("/node_modules/"));
    return { files, packages: packages.map((file) => relative(root, file)) };
  } finally {
    await bundle.close();
  }
}

/** The compiler's own map goes along, so that a stack names lines of src. */
function withMap(id) {
  return { code: readFileSync(id, "utf8"), map: readFileSync(`${id}.map`, "utf8") };
}

function grouping(from) {
  let reached;
  return (id, { getModuleInfo }) => {
    const closure = (file) => closureOf(join(from, file), getModuleInfo);
    reached ??= {
      client: closure("client/index.js"),
      groups: Object.entries(GROUPS).map(([name, file]) => [name, closure(file)]),
    };
    const group = reached.groups.find(([, modules]) => modules.has(id))?.[0];
    return reached.client.has(id) && group !== undefined ? COMMON : group;
  };
}

/** A module and all that it imports before it runs. */
function closureOf(entry, getModuleInfo) {
  const found = new Set([entry]);
  for (const id of found) for (const next of getModuleInfo(id)?.importedIds ?? []) found.add(next);
  return found;
}

/** @returns the same as {@link packModules}. */
async function packEngines(root, from, to) {
  const outfile = join(to, "engines.cjs");
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(from, ENGINES)],
    outfile,
    bundle: true,
    // Less to read, for a program that reads it during its first call. Names stay: a stack is to say something, and modules whose
    // names are gone take longer to start.
    minifyWhitespace: true,
    minifySyntax: true,
    platform: "node",
    target: "node20.19",
    format: "cjs",
    // One file already.
    external: ["re2js"],
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  for (const { path, contents } of outputFiles) writeChanged(path, contents);
  return { files: outputFiles.map(({ path }) => path), packages: Object.keys(metafile.inputs) };
}

function copyTypes(from, to) {
  return filesIn(from)
    .filter((file) => /\.d\.c?ts$/.test(file))
    .map((file) => {
      const copy = resolve(to, relative(from, file));
      writeChanged(copy, readFileSync(file));
      return copy;
    });
}

function filesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
