import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parse } from "toml";
import type { JsonPath } from "#salvor/log/json-path.js";
import { tomlPositions } from "#salvor/declarations/toml-positions.js";

function at(lines: readonly string[], path: JsonPath): string | undefined {
  const position = tomlPositions(lines.join("\n"))(path);
  return position && `${position.line}:${position.column}`;
}

describe("the position of a key", () => {
  it("is where it is written, in tables, dotted keys, quoted keys and inline tables", () => {
    const lines = [
      "# a comment = 1",
      "a = 1 # b = 2",
      '  "odd key".b = { c = [1, { d = 2 }], e = "f" }',
      "[t.u]",
      "'lit eral'.v = [",
      "  1, # one",
      "  2,",
      "]",
      '["t"."x.y"]',
      '"\\u0061" = 1',
    ];
    assert.equal(at(lines, ["a"]), "2:1");
    assert.equal(at(lines, ["odd key"]), "3:3");
    assert.equal(at(lines, ["odd key", "b"]), "3:13");
    assert.equal(at(lines, ["odd key", "b", "c", 1, "d"]), "3:29");
    assert.equal(at(lines, ["odd key", "b", "e"]), "3:39");
    assert.equal(at(lines, ["t"]), "4:1");
    assert.equal(at(lines, ["t", "u", "lit eral", "v", 1]), "7:3");
    assert.equal(at(lines, ["t", "x.y", "a"]), "10:1");
  });

  it("is that of the table around it when it is not written", () => {
    const lines = ["[schema]", 'type = "object"'];
    assert.equal(at(lines, ["schema", "required"]), "1:1");
    assert.equal(at(lines, ["name"]), undefined);
    assert.equal(at(lines, []), undefined);
  });

  it("is not found inside a text that looks like TOML", () => {
    const lines = [
      'a = """',
      "b = 1",
      '[c] ""\\" """',
      "d = '''",
      "'e' = 1",
      "''''",
      'f = "[g]\\" h = 1"',
      "b = 2",
    ];
    assert.equal(at(lines, ["b"]), "8:1");
    assert.equal(at(lines, ["c"]), undefined);
    assert.equal(at(lines, ["e"]), undefined);
    assert.equal(at(lines, ["f"]), "7:1");
  });

  it("counts the tables of an array", () => {
    const lines = ["[[a]]", "b = 1", "[[a]]", "b = 2", "[a.c]", "d = 3", "[[a.e]]", "f = 4"];
    assert.equal(at(lines, ["a"]), "1:1");
    assert.equal(at(lines, ["a", 1, "b"]), "4:1");
    assert.equal(at(lines, ["a", 1, "c", "d"]), "6:1");
    assert.equal(at(lines, ["a", 1, "e", 0, "f"]), "8:1");
  });

  it("is not guessed when the text is not understood to its end", () => {
    assert.equal(at(["a = 1", "b = @"], ["a"]), undefined);
    assert.equal(at(["a = 1", '"\\U00000061" = 2'], ["a"]), undefined);
  });

  it("is a place where the key's text stands, for every key of any document", () => {
    const key = fc.constantFrom("a", "b-c", '"odd key"', "'l'", '"x.y"', "constructor");
    const scalar = fc.constantFrom(
      "1",
      "-1.5e3",
      "true",
      "inf",
      '"t"',
      "'t'",
      '"""\na = 1\n"""',
      "'''[x]'''",
      "1979-05-27",
      "1979-05-27 07:32:00",
      "07:32:00",
    );
    const value = fc.oneof(
      scalar,
      fc.array(scalar, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc
        .uniqueArray(fc.tuple(key, scalar), { maxLength: 2, selector: ([name]) => name })
        .map((pairs) => `{ ${pairs.map(([name, item]) => `${name} = ${item}`).join(", ")} }`),
    );
    const pairs = fc.uniqueArray(fc.tuple(key, value), { maxLength: 4, selector: ([name]) => name });
    const tables = fc.uniqueArray(fc.tuple(key, key, pairs), {
      maxLength: 3,
      selector: ([a, b]) => `${a}.${b}`,
    });
    const body = (members: readonly (readonly [string, string])[]) =>
      members.map(([name, item]) => `${name} = ${item} # c`).join("\n");
    const document = tables.map((all) =>
      all.map(([a, b, members]) => `[t${a.length}.${a}.${b}]\n${body(members)}\n`).join("\n"),
    );
    fc.assert(
      fc.property(document, (text) => {
        let parsed: unknown;
        try {
          parsed = parse(text);
        } catch {
          fc.pre(false);
        }
        const locate = tomlPositions(text);
        const lines = text.split("\n");
        for (const path of pathsOf(parsed, [])) {
          const last = path.at(-1);
          if (typeof last !== "string") continue;
          const position = locate(path);
          assert.ok(position !== undefined, JSON.stringify(path));
          const rest = lines[position.line - 1]?.slice(position.column - 1) ?? "";
          assert.ok(
            rest.startsWith("[") || rest.replace(/^["']/, "").startsWith(last),
            `${JSON.stringify(path)} at ${rest}`,
          );
        }
      }),
    );
  });
});

function pathsOf(value: unknown, path: JsonPath): readonly JsonPath[] {
  if (typeof value !== "object" || value === null || value instanceof Date) return [path];
  const own = path.length === 0 ? [] : [path];
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, item]) =>
      pathsOf(item, [...path, Array.isArray(value) ? Number(key) : key]),
    ),
  ];
}
