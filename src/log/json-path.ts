// The contract names places in values too; the way to write them lives there.
export { pathText, type JsonPath } from "../contract/json-path.js";
