import { pathText, type JsonPath } from "../log/json-path.js";

/** A JSON Schema that is not accepted: where in the schema, and what is wrong with it. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
  readonly code = "schema_refused";

  constructor(
    /** The way to the place in the schema, as its keys and indexes. */
    readonly path: JsonPath,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(`schema at ${pathText(path)}: ${problem}`, options);
  }
}
