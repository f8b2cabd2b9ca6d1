import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "#salvor/contract/json.js";
import { jsonEqual } from "#salvor/log/json-equal.js";
import { JsonSyntaxError } from "#salvor/log/json-syntax-error.js";
import { JsonReading, MAX_DEPTH, parseJson } from "#salvor/log/parse-json.js";
import { jsonValues } from "./json-values.js";

function refuses(source: string | Uint8Array, path: string, problem: RegExp): void {
  assert.throws(
    () => parseJson(source),
    (error: unknown) => {
      assert.ok(error instanceof JsonSyntaxError);
      assert.equal(error.path, path);
      assert.match(error.problem, problem);
      assert.ok(error.message.startsWith(`${path}: `));
      return true;
    },
  );
}

/** `undefined` for a text that is refused. */
function read(text: string): { readonly value: JsonValue } | undefined {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    assert.ok(error instanceof JsonSyntaxError, String(error));
    return undefined;
  }
}

const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\r", "\t"), maxLength: 3 });

/** A string as JSON may spell it: each character as itself or as an escape. */
function spelled(text: string, escape: () => boolean): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  const plain = (unit: number) => JSON.stringify(String.fromCharCode(unit)).slice(1, -1);
  // A pair keeps together or is escaped together: half of one is no character.
  const all = escape();
  const spell = (unit: number) =>
    unit >= 0xd800 && unit <= 0xdfff
      ? all
        ? `\\u${unit.toString(16)}`
        : String.fromCharCode(unit)
      : escape()
        ? `\\u${unit.toString(16).padStart(4, "0").toUpperCase()}`
        : plain(unit);
  return `"${units.map(spell).join("")}"`;
}

/** A text of a value with odd spaces and odd spellings. */
function textOf(value: JsonValue, spaces: Iterator<string>, escapes: Iterator<boolean>): string {
  const gap = () => spaces.next().value as string;
  const write = (each: JsonValue): string => {
    if (typeof each === "string") return spelled(each, () => escapes.next().value as boolean);
    if (typeof each !== "object" || each === null) return JSON.stringify(each);
    if (Array.isArray(each))
      return `[${each.map((item) => gap() + write(item as JsonValue) + gap()).join(",")}${gap()}]`;
    const members = Object.entries(each as Readonly<Record<string, JsonValue>>).map(
      ([key, member]) => `${gap()}${write(key)}${gap()}:${gap()}${write(member)}${gap()}`,
    );
    return `{${members.join(",")}${gap()}}`;
  };
  return gap() + write(value) + gap();
}

describe("reading JSON", () => {
  it("loses nothing of any value, however it is spelled", () => {
    fc.assert(
      fc.property(
        jsonValues,
        fc.infiniteStream(space),
        fc.infiniteStream(fc.boolean()),
        (value, spaces, escapes) => {
          const text = textOf(value, spaces, escapes);
          assert.deepEqual(parseJson(text), JSON.parse(text));
          assert.ok(jsonEqual(parseJson(text), value));
          assert.deepEqual(parseJson(new TextEncoder().encode(text)), parseJson(text));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("never accepts what JSON.parse does not, nor answers anything else", () => {
    const piece = fc.constantFrom(
      ...Array.from('{}[]:,"\\ -+.eE019utrfalsn\u0000\ud800\ufeff'),
      "\\u",
      "null",
      "true",
      '"a"',
      '"b":1',
      "[]",
      "{}",
      "1e5",
      "//",
    );
    const mutated = fc
      .tuple(
        jsonValues.map((value) => JSON.stringify(value)),
        fc.nat(),
        fc.nat(3),
        fc.array(piece, { maxLength: 3 }),
      )
      .map(([text, at, cut, pieces]) => {
        const start = at % (text.length + 1);
        return text.slice(0, start) + pieces.join("") + text.slice(start + cut);
      });
    fc.assert(
      fc.property(
        fc.oneof(
          mutated,
          fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
        ),
        (text) => {
          const accepted = read(text);
          if (accepted !== undefined) assert.deepEqual(accepted.value, JSON.parse(text));
        },
      ),
      { numRuns: 5000 },
    );
  });

  it("refuses an object exactly when a key comes twice or is __proto__, however the keys are spelled", () => {
    const name = fc.constantFrom(
      "a",
      "b",
      "é",
      "😀",
      "__proto__",
      "constructor",
      "toString",
      "",
      '"',
      "\\",
      "a ",
    );
    fc.assert(
      fc.property(fc.array(name, { maxLength: 5 }), fc.infiniteStream(fc.boolean()), (names, escapes) => {
        const text = `{${names.map((each) => `${spelled(each, () => escapes.next().value === true)}:1`).join(",")}}`;
        const legal = new Set(names).size === names.length && !names.includes("__proto__");
        assert.equal(read(text) !== undefined, legal, text);
        assert.equal(read(`[{"x":${text}}]`) !== undefined, legal, text);
      }),
    );
  });

  it("accepts the same key in different objects", () => {
    assert.deepEqual(parseJson('{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":3}}'), {
      a: { a: [{ a: 1 }, { a: 2 }] },
      b: { a: 3 },
    });
  });
});

describe("numbers", () => {
  for (const [text, value] of [
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["9007199254740991.0", 9007199254740991],
    ["90071992547409910e-1", 9007199254740991],
    ["1.0", 1],
    ["1e3", 1000],
    ["1E+3", 1000],
    ["-0", -0],
    ["0.1", 0.1],
    ["5e-324", 5e-324],
    ["1e-400", 0],
    ["4503599627370495.5", 4503599627370495.5],
    ["0e999", 0],
  ] as const) {
    it(`reads ${text}`, () => {
      assert.ok(Object.is(parseJson(text), value));
      assert.deepEqual(parseJson(`{"a":[${text}]}`), { a: [value] });
    });
  }

  for (const text of [
    "9007199254740992",
    "9007199254740993",
    "9007199254740993.0",
    "-9007199254740992",
    "9007199254740993e0",
    "900719925474099300e-2",
    "1e300",
    "-1e300",
    "1e16",
    "18446744073709551615",
    "9007199254740992.5",
    "1" + "0".repeat(300),
  ]) {
    it(`refuses ${text.slice(0, 24)}, and names its place`, () => {
      refuses(text, "$", /beyond 2\^53-1/);
      refuses(`{"amount_cents":${text}}`, "$.amount_cents", /beyond 2\^53-1.*send it as a string/);
      refuses(`{"lines":[{"n":1},{"n":${text}}]}`, "$.lines[1].n", /beyond 2\^53-1/);
    });
  }

  for (const text of ["1e999", "-1e999", "1" + "0".repeat(400)]) {
    it(`refuses ${text.slice(0, 8)}, which overflows a double`, () => {
      refuses(`[0,${text}]`, "$[1]", /overflows/);
    });
  }

  it("refuses every integer beyond 2^53-1 however it is written, and rounds none", () => {
    const decimal = fc.tuple(
      fc.boolean(),
      fc.oneof(
        fc.bigInt({ min: 0n, max: 10n ** 20n }),
        fc.bigInt({ min: 2n ** 53n - 20n, max: 2n ** 53n + 20n }),
        fc.bigInt({ min: 0n, max: 999n }),
      ),
      fc.nat(25),
      fc.integer({ min: -25, max: 30 }),
    );
    fc.assert(
      fc.property(decimal, ([negative, digits, fraction, exponent]) => {
        const text = written(negative, digits, fraction, exponent);
        const accepted = read(text);
        const exact = exactInteger(digits, exponent - fraction);
        if (exact !== undefined && exact > 2n ** 53n - 1n) assert.equal(accepted, undefined, text);
        else if (exact !== undefined)
          assert.ok(accepted !== undefined && BigInt(Math.abs(accepted.value as number)) === exact, text);
        // A fraction is the nearest double, unless that is an integer which could not be read again.
        else if (Math.abs(Number(text)) < 2 ** 53) assert.equal(accepted?.value, Number(text), text);
        else assert.equal(accepted, undefined, text);
      }),
      { numRuns: 5000 },
    );
  });
});

/** Digits with a decimal point some places from their end, and an exponent. */
function written(negative: boolean, digits: bigint, fraction: number, exponent: number): string {
  const padded = digits.toString().padStart(fraction + 1, "0");
  const point = padded.length - fraction;
  const number = fraction === 0 ? padded : `${padded.slice(0, point)}.${padded.slice(point)}`;
  return `${negative ? "-" : ""}${number}${exponent === 0 ? "" : `e${exponent}`}`;
}

/** digits * 10^power when that is an integer: computed without any double. */
function exactInteger(digits: bigint, power: number): bigint | undefined {
  if (power >= 0) return digits * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

describe("what would be lost or changed", () => {
  it("refuses a duplicate key", () => {
    refuses('{"a":1,"b":{"c":1,"c":1}}', "$.b.c", /duplicate key/);
    refuses('{"a":1,"\\u0061":2}', "$.a", /duplicate key/);
    refuses('{"":1,"":2}', '$[""]', /duplicate key/);
  });

  it("refuses __proto__ as a key", () => {
    refuses('{"__proto__":{"admin":true}}', "$.__proto__", /__proto__/);
    refuses('[{"a":{"\\u005f_proto__":1}}]', "$[0].a.__proto__", /__proto__/);
  });

  it("accepts __proto__ as a value, and the other names of Object.prototype as keys", () => {
    assert.equal(parseJson('"__proto__"'), "__proto__");
    const value = parseJson('{"constructor":1,"toString":2,"hasOwnProperty":3}');
    assert.deepEqual(Object.keys(value as object), ["constructor", "toString", "hasOwnProperty"]);
  });

  for (const [what, text, path] of [
    ["a high half", '{"a":"\\ud800"}', "$.a"],
    ["a low half", '["\\udc00"]', "$[0]"],
    ["halves in the wrong order", '["\\udc00\\ud800"]', "$[0]"],
    ["a half before a character", '["\\ud800x"]', "$[0]"],
    ["a half in a key", '{"\\ud800":1}', '$["\\ud800"]'],
    ["a raw half in a text that never was UTF-8", '["\ud800"]', "$[0]"],
  ] as const) {
    it(`refuses ${what} of a surrogate pair`, () => {
      refuses(text, path, /lone surrogate/);
    });
  }

  it("accepts a whole pair, escaped or not", () => {
    assert.deepEqual(parseJson('["\\ud83d\\ude00","😀"]'), ["😀", "😀"]);
  });

  for (const [what, bytes] of Object.entries({
    "a stray byte": [0x22, 0xff, 0x22],
    "an overlong form": [0x22, 0xc0, 0x80, 0x22],
    "an encoded surrogate": [0x22, 0xed, 0xa0, 0x80, 0x22],
    "a truncated character": [0x22, 0xe2, 0x82],
    "a code point beyond Unicode": [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22],
    "UTF-16": [0xff, 0xfe, 0x31, 0x00],
  })) {
    it(`refuses ${what} as not valid UTF-8`, () => {
      refuses(Uint8Array.from(bytes), "$", /not valid UTF-8/);
    });
  }

  it("refuses a byte order mark", () => {
    refuses(Uint8Array.from([0xef, 0xbb, 0xbf, 0x31]), "$", /not JSON/);
    refuses("\ufeff1", "$", /not JSON/);
  });

  for (const text of [
    "",
    " ",
    "nul",
    "01",
    "+1",
    ".5",
    "1.",
    "0x1",
    "NaN",
    "Infinity",
    "'a'",
    "[1,]",
    "{a:1}",
    '{"a":1,}',
    "1 2",
    '"\t"',
    '"\\x41"',
    "[",
    '{"a"',
    "// 1",
    "-",
  ]) {
    it(`refuses ${JSON.stringify(text)}, which is not JSON`, () => {
      refuses(text, "$", /not JSON/);
    });
  }
});

describe("depth", () => {
  const nested = (levels: number, open: string, close: string) =>
    open.repeat(levels) + "1" + close.repeat(levels);

  for (const [what, open, close] of [
    ["arrays", "[", "]"],
    ["objects", '{"a":', "}"],
  ] as const) {
    it(`is read to ${MAX_DEPTH} levels of ${what}, and refused beyond`, () => {
      assert.equal(JSON.stringify(parseJson(nested(128, open, close))), nested(128, open, close));
      assert.throws(() => parseJson(nested(129, open, close)), /deeper than 128 levels/);
    });
  }

  it("may be bounded deeper for a text that nests what was bounded already", () => {
    const text = nested(130, "[", "]");
    assert.equal(JSON.stringify(parseJson(text, { maxDepth: 130 })), text);
    assert.throws(() => parseJson(text, { maxDepth: 129 }), /deeper than 129 levels/);
  });

  it("is counted by nesting, not by how many there are", () => {
    const wide = `[${Array.from({ length: 1000 }, () => "[[]]").join(",")}]`;
    assert.equal((parseJson(wide) as readonly unknown[]).length, 1000);
  });

  it("is refused without overflowing any stack, closed or not", () => {
    for (const text of [nested(10_000, "[", "]"), "[".repeat(1_000_000), '{"a":'.repeat(200_000)]) {
      assert.throws(() => parseJson(text), /deeper than 128 levels/);
    }
  });

  it("does not count brackets inside strings", () => {
    const text = JSON.stringify("[{".repeat(500));
    assert.equal(parseJson(text), "[{".repeat(500));
  });
});

describe("an unsigned 64-bit integer, where one may stand", () => {
  const u64At = (path: readonly (string | number)[]) => path.length === 2 && path[1] === "value";
  const at = (text: string) => parseJson(`{"event":{"value":${text},"other":1}}`, { u64At });

  it("keeps every digit of every value: as a number while a number can, else as a bigint", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (value) => {
        const small = value <= 2n ** 53n - 1n;
        assert.deepEqual(at(value.toString()), { event: { value: small ? Number(value) : value, other: 1 } });
      }),
    );
  });

  for (const value of [2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n]) {
    it(`reads ${value.toString()} as a bigint`, () => {
      assert.deepEqual(at(value.toString()), { event: { value, other: 1 } });
    });
  }

  for (const text of [
    "18446744073709551616",
    "-9007199254740992",
    "1e19",
    "9007199254740993.0",
    "1".repeat(5000),
  ]) {
    it(`refuses ${text.slice(0, 24)}, which is none or is not in plain digits`, () => {
      assert.throws(() => at(text), { name: "JsonSyntaxError", path: "$.event.value" });
    });
  }

  it("leaves anything else there as it is, for whoever judges the shape", () => {
    for (const value of ["7", null, { value: 7 }, [7], -1, 1.5]) {
      assert.deepEqual(at(JSON.stringify(value)), { event: { value, other: 1 } });
    }
  });

  it("is refused everywhere else, beyond 2^53-1", () => {
    assert.throws(() => parseJson('{"value":9007199254740993}', { u64At }), /beyond 2\^53-1/);
    assert.throws(() => parseJson('{"event":{"other":9007199254740993}}', { u64At }), /beyond 2\^53-1/);
  });
});

describe("reading JSON in pieces", () => {
  const inPieces = (text: string, size: number): unknown => {
    const reading = new JsonReading(text);
    while (!reading.advance(size));
    return reading.finish();
  };

  it("answers or refuses exactly what reading it at once does, whatever the size of the pieces", () => {
    const anyText = fc.oneof(fc.json({ maxDepth: 4 }), fc.stringMatching(/^[{}[\],:"\\\d\-.eEu ]*$/));
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 20 }), (text, size) => {
        let whole: unknown;
        try {
          whole = parseJson(text);
        } catch (error) {
          assert.throws(() => inPieces(text, size), { message: (error as Error).message });
          return;
        }
        assert.deepEqual(inPieces(text, size), whole);
      }),
    );
  });

  it("stops at the values that are too many, wherever they are", () => {
    for (const text of ["[1,[],{}]", '{"a":{"b":[null]}}', '["",[""]]']) {
      assert.doesNotThrow(() => parseJson(text, { maxValues: 4 }));
      assert.throws(() => parseJson(`[${text}${',"x"'.repeat(3)}]`, { maxValues: 4 }), /more than 4 values/);
    }
  });
});
