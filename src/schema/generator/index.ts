export { writeArtefact } from "./artefact-text.js";
export { compareArtefacts, toolDifferences } from "./compare-artefacts.js";
export {
  generateSchemas,
  SchemaGenerator,
  type Generated,
  type GenerateOptions,
  type GenerateProgress,
} from "./generate.js";
export { renderProblem, type GeneratorProblem } from "./problem.js";
export { watchedFolders } from "./watched-folders.js";
