import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "node:test";
import { ajvJudge } from "./judge.js";
import { expectArtefact, Program } from "./program.js";

/** A type as text, with a judge of its own that knows nothing of schemas. */
interface Model {
  readonly text: string;
  readonly fits: (value: unknown) => boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const literal = (value: string | number | boolean): Model => ({
  text: JSON.stringify(value),
  fits: (candidate) => candidate === value,
});

const LEAVES: readonly Model[] = [
  { text: "string", fits: (value) => typeof value === "string" },
  { text: "number", fits: (value) => typeof value === "number" },
  { text: "boolean", fits: (value) => typeof value === "boolean" },
  { text: "null", fits: (value) => value === null },
  { text: "unknown", fits: () => true },
  { text: "`x-${string}`", fits: (value) => typeof value === "string" && value.startsWith("x-") },
  { text: "Level", fits: (value) => value === "low" || value === 2 },
  { text: "Id", fits: (value) => typeof value === "string" },
  { text: "Tree", fits: (value) => isTree(value) },
  literal("a"),
  literal("x-1"),
  literal(0),
  literal(-1.5),
  literal(true),
];

const PRELUDE = `import { Tool, type ToolCtx } from "salvor";
enum Level { Low = "low", Two = 2 }
type Id = string & { readonly __id: "Id" };
interface Tree { kids: Tree[]; name?: string }
export type Used = [Level, Id, Tree];
`;

function isTree(value: unknown): boolean {
  if (!isObject(value) || !Object.keys(value).every((key) => key === "kids" || key === "name")) return false;
  const { kids, name } = value;
  return Array.isArray(kids) && kids.every(isTree) && (name === undefined || typeof name === "string");
}

const KEYS = ["a", "b", "constructor", "x y"];

interface MemberModel {
  readonly key: string;
  readonly optional: boolean;
  readonly type: Model;
}

function objectModel(members: readonly MemberModel[], wrap: "" | "Partial" | "Required" | "Readonly"): Model {
  const text = `{ ${members.map(({ key, optional, type }) => `${JSON.stringify(key)}${optional ? "?" : ""}: ${type.text};`).join(" ")} }`;
  const isOptional = ({ optional }: MemberModel): boolean =>
    wrap === "Partial" || (wrap !== "Required" && optional);
  return {
    text: wrap === "" ? text : `${wrap}<${text}>`,
    fits: (value) =>
      isObject(value) &&
      Object.keys(value).every((key) => members.some((member) => member.key === key)) &&
      members.every((member) =>
        Object.hasOwn(value, member.key) ? member.type.fits(value[member.key]) : isOptional(member),
      ),
  };
}

const { type: anyType } = fc.letrec<{ type: Model }>((tie) => {
  const inner = tie("type");
  const member = fc.record({ key: fc.constantFrom(...KEYS), optional: fc.boolean(), type: inner });
  const members = fc.uniqueArray(member, { selector: ({ key }) => key, maxLength: 3 });
  return {
    type: fc.oneof(
      { maxDepth: 3, depthIdentifier: "type" },
      fc.constantFrom(...LEAVES),
      fc
        .tuple(members, fc.constantFrom("", "Partial", "Required", "Readonly"))
        .map(([list, wrap]) => objectModel(list, wrap)),
      inner.map((item): Model => ({
        text: `Array<${item.text}>`,
        fits: (value) => Array.isArray(value) && value.every(item.fits),
      })),
      fc.array(inner, { minLength: 2, maxLength: 3 }).map((parts): Model => ({
        text: parts.map(({ text }) => `(${text})`).join(" | "),
        fits: (value) => parts.some(({ fits }) => fits(value)),
      })),
      inner.map((item): Model => ({
        text: `Record<string, ${item.text}>`,
        fits: (value) => isObject(value) && Object.values(value).every(item.fits),
      })),
      fc
        .tuple(fc.array(inner, { maxLength: 2 }), fc.option(inner), fc.option(inner))
        .map(([items, last, rest]): Model => ({
          text: `[${[...items.map(({ text }) => text), ...(last ? [`(${last.text})?`] : []), ...(rest ? [`...(${rest.text})[]`] : [])].join(", ")}]`,
          fits: (value) => {
            if (!Array.isArray(value) || value.length < items.length) return false;
            const fixed = [...items, ...(last ? [last] : [])];
            return value.every((item, at) => (fixed[at] ?? rest)?.fits(item) ?? false);
          },
        })),
      fc.tuple(inner, inner).map(([a, b]): Model => ({
        text: `Pair<${a.text}, ${b.text}>`,
        fits: (value) =>
          isObject(value) &&
          Object.keys(value).length === 2 &&
          Object.hasOwn(value, "one") &&
          Object.hasOwn(value, "two") &&
          a.fits(value.one) &&
          b.fits(value.two),
      })),
    ),
  };
});

const VALUES = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("", "a", "x-1", "x-\n", "low", 0, -1.5, 2, true, false, null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS, "one", "two", "kids", "name"), tie("value"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value;

describe("a generated schema takes exactly the values of its type", () => {
  // One program for all types: the compiler's start costs more than hundreds of types do.
  const COUNT = 250;
  const models = fc.sample(anyType, { numRuns: COUNT, seed: 20260101 });
  const classes = models.map(
    ({ text }, at) =>
      `/** Tool ${at}. */\n@Tool("read")\nexport class Tool${at} { call(ctx: ToolCtx, input: { v: ${text} }) { return null; } }\n`,
  );
  using program = new Program({
    "src/a.ts": `${PRELUDE}type Pair<A, B> = { one: A; two: B };\n${classes.join("")}`,
  });
  const { artefact } = expectArtefact(program.generate());
  const values = fc.sample(VALUES, { numRuns: 400, seed: 7 });

  it(`for ${COUNT} types and ${values.length} values`, () => {
    let accepted = 0;
    for (const tool of Object.values(artefact.tools)) {
      const model = models[Number(tool.class.slice(4))]!;
      const judge = ajvJudge(tool.input, { strictTuples: false });
      for (const value of values) {
        const fits = model.fits(value);
        accepted += fits ? 1 : 0;
        if (judge({ v: value }) === fits) continue;
        const schema = JSON.stringify(tool.input);
        assert.fail(
          `${JSON.stringify(value)} ${fits ? "fits" : "does not fit"} ${model.text}, unlike ${schema}`,
        );
      }
    }
    assert.ok(accepted > 1000, "the values are not all beside the types");
  });
});
