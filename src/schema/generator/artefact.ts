import type { Effect } from "../../contract/effect.js";
import type { JsonObject } from "../../contract/json.js";

/** What the generator found about one tool. */
export interface GeneratedTool {
  /** The class's name in the source. */
  readonly class: string;
  /** The file that declares the class, relative to the folder of tsconfig.json, with `/` between folders. */
  readonly file: string;
  readonly effect: Effect;
  readonly description?: string;
  /** JSON Schema (draft-07) of the input: always `"type": "object"`. */
  readonly input: JsonObject;
  /** JSON Schema (draft-07) of the output: what `call` resolves to. */
  readonly output: JsonObject;
  /** `sha256:` and the hash of name, effect, input and output: equal exactly when those are. */
  readonly fingerprint: string;
}

/** The file that `salvor schemas` writes and `ToolSet` reads (docs/schemas.md, "The artefact"). */
export interface SchemaArtefact {
  readonly formatVersion: 1;
  readonly generator: {
    readonly salvor: string;
    readonly typescript: string;
    readonly typescriptJsonSchema: string;
  };
  /** For each file that declares a tool, the SHA-256 of what its tools became: a change that changes no schema changes nothing here. */
  readonly inputs: { readonly [file: string]: string };
  readonly tools: { readonly [name: string]: GeneratedTool };
}
