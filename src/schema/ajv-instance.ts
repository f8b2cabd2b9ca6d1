import type { Ajv, Options } from "ajv";
import type { Ajv2019 } from "ajv/dist/2019.js";
import type { Ajv2020 } from "ajv/dist/2020.js";
import type { CheckedSchema } from "./check-schema.js";
import type { Dialect } from "./dialect.js";
import { exactKeywords } from "./exact-keywords.js";
import { linearPattern } from "./linear-pattern.js";
import { loadEngine } from "./load-engine.js";

type AnyAjv = Ajv | Ajv2019 | Ajv2020;

const ENGINES: Readonly<Record<Dialect, () => new (options: Options) => AnyAjv>> = {
  "draft-07": () => loadEngine("draft-07").Ajv,
  "2019-09": () => loadEngine("2019-09").Ajv2019,
  "2020-12": () => loadEngine("2020-12").Ajv2020,
};

/** How a schema is to be read. */
export interface Reading {
  /** Whether unknown keywords and formats are refused, or ignored as the standard says. */
  readonly strict: boolean;
  /** Whether every violation is collected, or judging stops at the first. */
  readonly allErrors: boolean;
}

/** The engine. ajv asks for the code of it only when it writes modules, which is never done here. */
const regExp = Object.assign((pattern: string) => linearPattern(pattern), { code: "linearPattern" });

const COMMON: Options = {
  strict: false,
  strictNumbers: true,
  ownProperties: true,
  verbose: true,
  discriminator: true,
  logger: false,
  // References are compiled once each: inlining them multiplies the code.
  inlineRefs: false,
  // The optimiser takes most of the compiling time, and recurses over all of the code.
  code: { regExp, optimize: false },
};

/**
 * A compiler for one schema. It knows no other schema, not even the meta-schemas, so nothing that a schema refers to or calls
 * itself can meet anything outside of it; and no format where nothing in the schema can name one. The schema must have been
 * checked before.
 */
export function freshAjv({ schema, dialect }: CheckedSchema, { strict, allErrors }: Reading): AnyAjv {
  const options = { ...COMMON, strictSchema: strict, allErrors, meta: false, validateSchema: false };
  const ajv = prepare(dialect, options);
  // Wherever it stands, and of whatever keyword it is the start.
  return JSON.stringify(schema).includes('"format') ? withFormats(ajv) : ajv;
}

const metaAjvs = new Map<Dialect, AnyAjv>();

/** The one instance of a dialect that knows its meta-schema and checks schemas against it. */
export function metaAjv(dialect: Dialect): AnyAjv {
  const known = metaAjvs.get(dialect);
  if (known !== undefined) return known;
  const made = withFormats(prepare(dialect, { ...COMMON, strictSchema: false, allErrors: true }));
  metaAjvs.set(dialect, made);
  return made;
}

/** The formats that are understood: those of ajv-formats. */
export function formatNames(): ReadonlySet<string> {
  return new Set(Object.keys(metaAjv("2020-12").formats));
}

function prepare(dialect: Dialect, options: Options): AnyAjv {
  const ajv = new (ENGINES[dialect]())(options);
  for (const definition of exactKeywords()) ajv.removeKeyword(definition.keyword).addKeyword(definition);
  return ajv;
}

function withFormats(ajv: AnyAjv): AnyAjv {
  loadEngine("formats").default(ajv);
  return ajv;
}
