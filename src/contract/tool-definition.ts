import type { SchemaArtefact, ToolSchemas } from "./artefact.js";
import { copiedSchema, rereadSchema, type DefinedSchema } from "./defined-schema.js";
import { keyList } from "./key-list.js";
import { sideOf, type OwnSchemas, type SchemaSide } from "./own-schemas.js";
import { RegistryError } from "./registry-error.js";
import { toolMetaOf, type ToolMeta } from "./tool-meta.js";
import type { TypedToolDefinition } from "./typed-tool.js";

/** Everything that a handler is as a tool, and the name of its class. */
export interface HandlerDefinition extends Omit<TypedToolDefinition, "inputSchema" | "outputSchema"> {
  readonly className: string;
  readonly input: DefinedSchema;
  readonly output?: DefinedSchema;
}

const GENERATE = "run `npx salvor schemas`";

/**
 * What a handler's class, and its schemas, say that it is.
 *
 * @throws RegistryError naming the class and what to do.
 */
export function definitionOf(
  handler: unknown,
  artefact: SchemaArtefact,
  own: OwnSchemas | undefined,
): HandlerDefinition {
  const meta = metaOf(handler);
  const timeoutMs = checkHandler(handler as Record<string, unknown>, meta);
  const { name, effect, className, idempotencyKey } = meta;
  const { input, output, description } =
    own === undefined ? generatedSides(meta, artefact) : ownSides(className, own);
  return {
    name,
    effect,
    className,
    timeoutMs,
    description: descriptionOf(meta, description),
    input: schemaOf(meta, "input", input),
    ...(input.standard !== undefined && { inputStandard: input.standard }),
    ...(output !== undefined && { output: schemaOf(meta, "output", output) }),
    ...(output?.standard !== undefined && { outputStandard: output.standard }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

interface Sides {
  readonly input: SchemaSide;
  readonly output?: SchemaSide;
  readonly description?: string | undefined;
}

function generatedSides(meta: ToolMeta, artefact: SchemaArtefact): Sides {
  const { input, output, description } = generatedSchemas(meta, artefact);
  return {
    input: { json: input, isGenerated: true },
    output: { json: output, isGenerated: true },
    description,
  };
}

function ownSides(className: string, own: OwnSchemas): Sides {
  const { inputSchema, outputSchema, inputJsonSchema, outputJsonSchema, description } = own;
  if (outputSchema === undefined && outputJsonSchema !== undefined) {
    throw new RegistryError(
      "invalid_schema",
      `class ${className} has an outputJsonSchema without an outputSchema that it describes: name it outputSchema`,
    );
  }
  return {
    input: sideOf(className, "input", inputSchema, inputJsonSchema),
    ...(outputSchema !== undefined && {
      output: sideOf(className, "output", outputSchema, outputJsonSchema),
    }),
    description,
  };
}

function metaOf(handler: unknown): ToolMeta {
  if (typeof handler === "function") {
    throw new RegistryError(
      "not_a_tool",
      `${handler.name || "a function"} was registered itself: register an instance, new ${handler.name || "Tool"}(...)`,
    );
  }
  if (typeof handler !== "object" || handler === null) {
    throw new RegistryError("not_a_tool", `${String(handler)} is not an instance of a class with @Tool`);
  }
  const cls: unknown = handler.constructor;
  const meta = typeof cls === "function" ? toolMetaOf(cls) : undefined;
  if (typeof cls === "function" && meta !== undefined) return meta;
  throw new RegistryError("not_a_tool", notATool(cls));
}

function notATool(cls: unknown): string {
  if (typeof cls !== "function") return "an object without a class is not a tool: write a class with @Tool";
  const parent: unknown = Object.getPrototypeOf(cls);
  const inherited = typeof parent === "function" ? toolMetaOf(parent) : undefined;
  return inherited === undefined
    ? `class ${cls.name} has no @Tool: put @Tool("read"), @Tool("idempotent") or @Tool("write") on it, outside of decorators that replace the class`
    : `class ${cls.name} extends the tool ${inherited.className} and has no @Tool of its own; it is not inherited, because another class may have another effect`;
}

/** @returns its `timeoutMs`. */
function checkHandler(
  handler: Readonly<Record<string, unknown>>,
  { className, idempotencyKey }: ToolMeta,
): number | undefined {
  const { call, timeoutMs, idempotencyKey: deriveKey } = handler;
  if (typeof call !== "function") {
    throw new RegistryError("not_a_tool", `class ${className} has no method call(ctx, input)`);
  }
  if (idempotencyKey !== undefined && deriveKey !== undefined) {
    throw new RegistryError(
      "ambiguous_idempotency_key",
      `class ${className} derives its idempotency key twice, by the path "${idempotencyKey}" and by its method idempotencyKey(input): keep one`,
    );
  }
  if (deriveKey !== undefined && typeof deriveKey !== "function") {
    throw new RegistryError(
      "ambiguous_idempotency_key",
      `class ${className}: idempotencyKey must be a method; for a path write @Tool("...", { idempotencyKey: "..." })`,
    );
  }
  if (timeoutMs === undefined) return undefined;
  if (typeof timeoutMs === "number" && timeoutMs > 0 && timeoutMs <= 2 ** 31 - 1) return timeoutMs;
  throw new RegistryError(
    "invalid_timeout",
    `class ${className}: timeoutMs must be a number of milliseconds from 1 to 2^31-1; found ${typeof timeoutMs === "number" ? timeoutMs : typeof timeoutMs}`,
  );
}

function generatedSchemas({ name, effect, className }: ToolMeta, { tools }: SchemaArtefact): ToolSchemas {
  const generated = Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (generated === undefined) {
    throw new RegistryError(
      "missing_schema",
      `there is no schema for class ${className} (tool ${name}): ${GENERATE}. ` +
        `The artefact has ${keyList(Object.keys(tools))}`,
    );
  }
  if (generated.class !== className) {
    throw new RegistryError(
      "stale_schema",
      `the schema of tool ${name} was generated from class ${generated.class}, and the class is ${className} now: ${GENERATE} ` +
        "(or let your bundler keep class names)",
    );
  }
  if (generated.effect !== effect) {
    throw new RegistryError(
      "effect_mismatch",
      `class ${className} is "${effect}", and its schema was generated when it was "${generated.effect}": ${GENERATE}`,
    );
  }
  return generated;
}

function descriptionOf({ className, description, effect }: ToolMeta, generated: string | undefined): string {
  const text = description ?? generated;
  if (typeof text === "string" && text.trim() !== "") return text;
  throw new RegistryError(
    "missing_description",
    `nothing says what class ${className} does: write a doc comment above it and ${GENERATE}, or @Tool("${effect}", { description: "..." })`,
  );
}

function schemaOf(
  { className }: ToolMeta,
  side: "input" | "output",
  { json, isGenerated = false }: SchemaSide,
): DefinedSchema {
  try {
    const schema = isGenerated ? rereadSchema(json) : copiedSchema(json);
    if (schema !== undefined) return schema;
  } catch (cause) {
    throw new RegistryError(
      "invalid_schema",
      `the ${side} schema of class ${className} is not JSON: ${String(cause)}`,
      { cause },
    );
  }
  throw new RegistryError("invalid_schema", `the ${side} schema of class ${className} is not an object`);
}
