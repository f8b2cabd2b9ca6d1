export { didYouMean } from "./did-you-mean.js";
export { SchemaError } from "./schema-error.js";
export { judgeUntrusted } from "./untrusted.js";
export { compileStrict, createValidator, type ValidatorOptions } from "./validator.js";
