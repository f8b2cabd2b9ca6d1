import type { SchemaArtefact } from "../contract/artefact.js";
import { ToolSet as CheckedToolSet, type ToolSetOptions } from "../contract/tool-set.js";
import { createValidator } from "./validator.js";

/** The tools of a program, each under its own name; their schemas are judged by {@link createValidator} unless another is given. */
export class ToolSet extends CheckedToolSet {
  /**
   * @param schemas what `salvor schemas` wrote: `import schemas from "./tools.schemas.json" with { type: "json" }`.
   * @throws {@link RegistryError} `unsupported_artefact` when this version cannot read it.
   */
  constructor(schemas: SchemaArtefact, { validator = createValidator() }: Partial<ToolSetOptions> = {}) {
    super(schemas, { validator });
  }
}
