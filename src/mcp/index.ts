export { annotationsOf } from "../contract/models/annotations-of.js";
export { effectOf, type EffectOptions } from "./effect-of.js";
export type { ToolAnnotations } from "../contract/models/tool-annotations.js";
