import type { SchemaArtefact } from "../contract/artefact.js";
import { ToolSet as ContractToolSet, type ToolSetOptions } from "../contract/tool-set.js";
import { createValidator } from "./validator.js";

/** The tools of a program, each under its own name, judged by this package's validator unless another one is given. */
export class ToolSet extends ContractToolSet {
  /**
   * @param schemas what `salvor schemas` wrote: `import schemas from "./tools.schemas.json" with { type: "json" }`.
   * @throws RegistryError `unsupported_artefact` when this version cannot read it.
   */
  constructor(schemas: SchemaArtefact, options: Partial<ToolSetOptions> = {}) {
    super(schemas, { validator: options.validator ?? createValidator() });
  }
}
