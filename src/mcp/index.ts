export { annotationsOf } from "./annotations-of.js";
export { effectOf, type EffectOptions } from "./effect-of.js";
export type { ToolAnnotations } from "./tool-annotations.js";
