import { toolDrift, type Drift, type ToolFace } from "../log/tool-drift.js";
import type { DeclaredClientTool } from "./answers.js";
import { SalvorError } from "./salvor-error.js";

/**
 * A class and what the operator declared are not the same tool, so the run is not driven: a guard that checks another schema
 * than the class was written for guards nothing.
 */
export class DriftError extends SalvorError {
  override readonly name = "DriftError";
  constructor(readonly drifts: readonly Drift[]) {
    super(drifts.map(({ message }) => message).join("\n"), { code: "tool_drift" });
  }
}

/** @throws {@link DriftError} when a class and its declaration differ, or a class has none; it names each tool and place. */
export function refuseDrift(classes: readonly ToolFace[], declared: readonly DeclaredClientTool[]): void {
  const drifts = classes.flatMap((face) => driftOf(face, declared));
  if (drifts.length > 0) throw new DriftError(drifts);
}

function driftOf(face: ToolFace, declared: readonly DeclaredClientTool[]): readonly Drift[] {
  const tool = face.name;
  const declaration = declared.find(({ name }) => name === tool);
  if (declaration !== undefined) return toolDrift(face, declaration);
  const names = declared.map(({ name }) => name).join(", ");
  const message = `${tool}: the server declares no such tool (it declares: ${names === "" ? "none" : names})`;
  return [{ tool, what: "undeclared", message }];
}
