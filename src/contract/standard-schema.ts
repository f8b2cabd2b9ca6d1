/**
 * A Standard Schema (https://standardschema.dev, version 1), as zod, valibot and arktype make them: it judges a value, and makes
 * another one of it. The names are the standard's.
 */
export interface StandardSchema<In = unknown, Out = In> {
  readonly "~standard": {
    readonly version: 1;
    /** The library that made it. */
    readonly vendor: string;
    validate(value: unknown): StandardResult<Out> | Promise<StandardResult<Out>>;
    readonly types?: { readonly input: In; readonly output: Out } | undefined;
    /** What it looks like as a JSON Schema, when the library can say it ("Standard JSON Schema"). */
    readonly jsonSchema?: {
      input(options: { readonly target: string }): Readonly<Record<string, unknown>>;
      output(options: { readonly target: string }): Readonly<Record<string, unknown>>;
    };
  };
}

export type StandardResult<Out> =
  { readonly value: Out; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Whether something says of itself that it is a Standard Schema; arktype's are functions. It may lie about the rest. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const mayBe = (typeof value === "object" && value !== null) || typeof value === "function";
  return mayBe && "~standard" in value;
}
