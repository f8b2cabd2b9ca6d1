import { ARTEFACT_FORMAT, type SchemaArtefact } from "./artefact.js";
import { definedTool } from "./defined-tool.js";
import type { DynTool } from "./dyn-tool.js";
import type { Effect } from "./effect.js";
import { reasonOf } from "./handler-errors.js";
import type { JsonObject } from "./json.js";
import { once } from "./once.js";
import type { CheckInputSchema, CheckOutputSchema, OwnSchema, OwnSchemas } from "./own-schemas.js";
import { RegistryError } from "./registry-error.js";
import type { ToolHandler } from "./tool-handler.js";
import type { ToolSource } from "./tool-source.js";
import { definitionOf, type HandlerDefinition } from "./tool-definition.js";
import type { Validator } from "./validator.js";

export interface ToolSetOptions {
  /** Compiles the tools' schemas. */
  readonly validator: Validator;
}

/** A tool as a model, a person or a server is shown it. Deeply frozen. */
export interface ToolDescriptor {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

interface Registered {
  readonly className: string;
  /** The tool, made when it is first asked for: nothing of it can be refused any more. */
  readonly tool: () => DynTool;
  readonly descriptor: () => ToolDescriptor;
}

/** The tools of a program, each under its own name. */
export class ToolSet {
  readonly #schemas: SchemaArtefact;
  readonly #validator: Validator;
  readonly #tools = new Map<string, Registered>();
  readonly #sources: ToolSource[] = [];
  /** Whose a name is: it stays so, whatever another source comes to list. */
  readonly #owners = new Map<string, ToolSource>();

  /**
   * @param schemas what `salvor schemas` wrote: `import schemas from "./tools.schemas.json" with { type: "json" }`.
   * @throws {@link RegistryError} `unsupported_artefact` when this version cannot read it.
   */
  constructor(schemas: SchemaArtefact, options: ToolSetOptions) {
    checkArtefact(schemas);
    this.#schemas = schemas;
    this.#validator = options.validator;
  }

  /**
   * Adds a tool.
   *
   * @param own schemas to use instead of generated ones.
   * @returns this set, so that registrations chain.
   * @throws {@link RegistryError} naming the class and what to do.
   */
  register<I, O, S extends OwnSchema, T extends OwnSchema>(
    handler: ToolHandler<I, O>,
    own?: OwnSchemas<S & CheckInputSchema<S, I>, T & CheckOutputSchema<T, O>>,
  ): this {
    const definition = definitionOf(handler, this.#schemas, own);
    const { name, className } = definition;
    const taken = this.#tools.get(name);
    if (taken === undefined && this.get(name) !== undefined) {
      throw new RegistryError(
        "duplicate_name",
        `class ${className} is called ${name}, as a tool that was included: give one of them another name`,
      );
    }
    if (taken !== undefined) {
      throw new RegistryError(
        "duplicate_name",
        `the classes ${taken.className} and ${className} are both called ${name}: give one of them another name, ` +
          `@Tool("${definition.effect}", { name: "..." })`,
      );
    }
    const tool = this.#compile(handler, definition);
    this.#tools.set(name, { className, tool, descriptor: once(() => descriptorOf(tool())) });
    return this;
  }

  /**
   * Adds tools that come from elsewhere, such as those of an MCP server. What the source has later is in this set too; but a name
   * stays with whoever had it first, so that no source can take over another's tool.
   *
   * @returns this set.
   * @throws {@link RegistryError} `duplicate_name` when a name is taken.
   */
  include(source: ToolSource): this {
    const taken = source.names().filter((name) => this.get(name) !== undefined);
    if (taken.length > 0) {
      throw new RegistryError(
        "duplicate_name",
        `${taken.join(", ")}: another tool of this set has that name already; give the source's tools a prefix`,
      );
    }
    this.#sources.push(source);
    for (const name of source.names()) this.#owners.set(name, source);
    return this;
  }

  /** The tool with a name, or `undefined`. */
  get(name: string): DynTool | undefined {
    const own = this.#tools.get(name)?.tool();
    if (own !== undefined) return own;
    const owner = this.#owners.get(name) ?? this.#sources.find((source) => source.get(name) !== undefined);
    if (owner === undefined) return undefined;
    this.#owners.set(name, owner);
    return owner.get(name);
  }

  /** The names of all tools, sorted. */
  names(): readonly string[] {
    const included = this.#sources.flatMap((source) => source.names());
    const here = included.filter((name) => this.get(name) !== undefined);
    return [...new Set([...this.#tools.keys(), ...here])].sort();
  }

  /** What every tool says of itself, sorted by name: ready to be handed to a model. */
  descriptors(): readonly ToolDescriptor[] {
    return Object.freeze(
      this.names().flatMap((name) => {
        const own = this.#tools.get(name)?.descriptor();
        const tool = own === undefined ? this.get(name) : undefined;
        return own ?? (tool === undefined ? [] : descriptorOf(tool));
      }),
    );
  }

  #compile<I, O>(handler: ToolHandler<I, O>, definition: HandlerDefinition): () => DynTool {
    try {
      return definedTool(handler, definition, this.#validator);
    } catch (cause) {
      throw new RegistryError(
        "invalid_schema",
        `a schema of class ${definition.className} does not compile: ${reasonOf(cause)}`,
        { cause },
      );
    }
  }
}

function checkArtefact(artefact: unknown): void {
  const { formatVersion, tools } = (artefact ?? {}) as Partial<Record<keyof SchemaArtefact, unknown>>;
  if (formatVersion === ARTEFACT_FORMAT && typeof tools === "object" && tools !== null) return;
  throw new RegistryError(
    "unsupported_artefact",
    `these are no tool schemas of formatVersion ${ARTEFACT_FORMAT}` +
      (typeof formatVersion === "number" ? ` (they say ${formatVersion})` : "") +
      ": run `npx salvor schemas`, and pass what it wrote",
  );
}

/** What is shown of a tool. Frozen. */
export function descriptorOf({
  name,
  description,
  effect,
  inputSchema,
  outputSchema,
}: DynTool): ToolDescriptor {
  return Object.freeze({
    name,
    description,
    effect,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
  });
}
