export { writeArtefact } from "./artefact-text.js";
export { compareArtefacts } from "./compare-artefacts.js";
export { generateSchemas, type Generated, type GenerateOptions, type GenerateProgress } from "./generate.js";
export { renderProblem, type GeneratorProblem } from "./problem.js";
