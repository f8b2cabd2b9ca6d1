import type { Effect } from "../contract/effect.js";
import { isJsonObject, type JsonObject } from "../contract/json.js";
import { checkDeclaration } from "./check-declaration.js";
import { deepFreeze } from "../contract/deep-freeze.js";
import type { DeclaredTool } from "./declared-tool.js";
import { nameIsTaken, problemsOf, type Finding, type Origin } from "./finding.js";
import { plainCopy } from "./plain-copy.js";
import { DeclarationError } from "./problem.js";
import { publish, type PublishedTool } from "./published-tool.js";

/** A declaration as a host writes it in code; what a file may leave out may be left out here too. */
export interface DeclarationInput {
  readonly name: string;
  readonly effect: Effect;
  readonly input_schema: JsonObject;
  readonly output_schema?: JsonObject;
  readonly trust_completion?: boolean;
  readonly require_equal?: readonly string[];
  readonly idempotency_key?: readonly string[];
  readonly description?: string;
  readonly title?: string;
}

interface Entry {
  readonly tool: DeclaredTool;
  readonly origin: Origin | undefined;
}

/**
 * The client tools that an operator declared. Nothing gets in but through the checks that a file goes through, and nothing
 * changes after: declarations are deeply frozen copies.
 */
export class ClientToolRegistry {
  readonly #entries = new Map<string, Entry>();
  #published: readonly PublishedTool[] | undefined;

  /**
   * Adds a tool.
   *
   * @param origin where it was read, for messages; left out by a host that declares in code.
   * @throws {@link DeclarationError} with every problem, one of which may be that the name is taken.
   */
  declare(declaration: DeclarationInput, origin?: Origin): DeclaredTool {
    return this.#add(declaration, origin, (name, findings) => {
      const taken = this.#entries.get(name);
      if (taken === undefined) return;
      findings.push(nameIsTaken(name, taken.origin === undefined ? "" : ` in ${taken.origin.file}`));
    });
  }

  /**
   * Declares a tool again that is declared already, under the same checks.
   *
   * @throws {@link DeclarationError} with every problem, one of which may be that there is nothing to replace.
   */
  replace(declaration: DeclarationInput, origin?: Origin): DeclaredTool {
    return this.#add(declaration, origin, (name, findings) => {
      if (this.#entries.has(name)) return;
      findings.push({
        path: ["name"],
        what: `name "${name}" is not declared, so there is nothing to replace`,
        advice: "use declare",
      });
    });
  }

  /** Where a tool was read, or `undefined` for one that a host declared in code. */
  fileOf(name: string): string | undefined {
    return this.#entries.get(name)?.origin?.file;
  }

  get(name: string): DeclaredTool | undefined {
    return this.#entries.get(name)?.tool;
  }

  /** Sorted. */
  names(): readonly string[] {
    return [...this.#entries.keys()].sort();
  }

  get size(): number {
    return this.#entries.size;
  }

  /** What clients are told, sorted by name: the array of `GET /v1/client-tools`. Deeply frozen. */
  published(): readonly PublishedTool[] {
    return (this.#published ??= deepFreeze(
      this.names().flatMap((name) => {
        const tool = this.get(name);
        return tool === undefined ? [] : [publish(tool.declaration)];
      }),
    ));
  }

  #add(
    declaration: DeclarationInput,
    origin: Origin | undefined,
    checkName: (name: string, findings: Finding[]) => void,
  ): DeclaredTool {
    const findings: Finding[] = [];
    const given = Object.fromEntries(Object.entries(declaration).filter(([, value]) => value !== undefined));
    const copy = plainCopy(given, [], findings);
    const raw = isJsonObject(copy) ? copy : {};
    const tool = checkDeclaration(raw, findings);
    const { name } = raw;
    if (typeof name === "string") checkName(name, findings);
    if (tool === undefined || findings.length > 0) throw new DeclarationError(problemsOf(findings, origin));
    this.#entries.set(tool.declaration.name, { tool, origin });
    this.#published = undefined;
    return tool;
  }
}
