import { sha256Hex } from "../../log/canonical-json.js";
import type { Declaration, Shape } from "./shape.js";

/** A text that is the same for two shapes only when their schemas are, wherever in their files the types stand. */
export function shapeKey(shape: Shape): string {
  const numbers = new Map<Declaration, number>();
  const numbered = (key: string, value: unknown): unknown => {
    // Values in docs are anything, and may look like shapes.
    if (key === "doc") return JSON.stringify(value);
    if (!isNamed(value)) return value;
    const { declaration } = value;
    const number = numbers.get(declaration) ?? numbers.size;
    numbers.set(declaration, number);
    return { declared: number };
  };
  const texts = [JSON.stringify(shape, numbered)];
  // Grows while it is gone through: a declaration refers to others.
  for (const [{ baseName, shape: own }] of numbers) texts.push(baseName, JSON.stringify(own, numbered));
  return sha256Hex([...texts, ...ranks([...numbers.keys()])].join("\n"));
}

/** Where declarations stand among each other: the order counts, the positions do not. */
function ranks(declarations: readonly Declaration[]): readonly string[] {
  const order = [...new Set(declarations.map(({ origin }) => origin))].sort();
  const rankOf = new Map(order.map((origin, rank) => [origin, rank]));
  return declarations.map(({ origin }) => String(rankOf.get(origin)));
}

function isNamed(value: unknown): value is Extract<Shape, { tag: "named" }> {
  return (
    typeof value === "object" &&
    value !== null &&
    "declaration" in value &&
    "tag" in value &&
    value.tag === "named"
  );
}
