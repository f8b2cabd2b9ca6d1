import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonValue } from "#salvor/contract/json.js";
import type { Validator } from "#salvor/contract/validator.js";

/** The contract's seam on plain ajv: contract/ is tested without the validator that ships. */
export const validator: Validator = {
  compile(schema) {
    const validate = new Ajv2020({ strict: false, allErrors: true, ownProperties: true }).compile(schema);
    return (value: JsonValue) =>
      validate(value)
        ? []
        : (validate.errors ?? []).map((error) => ({
            path: `$${error.instancePath.replaceAll("/", ".")}`,
            message: error.message ?? error.keyword,
          }));
  },
};
