import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonValue } from "#salvor/contract/json.js";
import { MAX_OUTPUT_DEPTH, NotJson, toPlainJson } from "#salvor/contract/plain-json.js";

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { in: value };
  return value;
}

class Receipt {
  constructor(
    readonly id: string,
    readonly lines: readonly { readonly cents: number }[],
  ) {}
  get total(): number {
    return this.lines.reduce((sum, { cents }) => sum + cents, 0);
  }
}

const cycle: { name: string; inside?: { back: unknown }[] } = { name: "a" };
cycle.inside = [{ back: cycle }];

/** Small in memory, and beyond any memory as JSON. */
function bomb(levels: number): unknown {
  let value: unknown = "x";
  for (let level = 0; level < levels; level += 1) value = [value, value];
  return value;
}

const throwing = {
  deep: {
    get money(): never {
      throw new Error("no connection");
    },
  },
};

describe("what JSON cannot carry unchanged", () => {
  const refused: readonly (readonly [what: string, value: unknown, path: string, problem: RegExp])[] = [
    ["a BigInt", { lines: [{ amount: 1n }] }, "$.lines[0].amount", /BigInt.*string/],
    ["a cycle", cycle, "$.inside[0].back", /a cycle, back to \$$/],
    [
      "a cycle in an array",
      {
        a: (() => {
          const list: unknown[] = [];
          list.push(list);
          return list;
        })(),
      },
      "$.a[0]",
      /a cycle, back to \$\.a$/,
    ],
    ["undefined", undefined, "$", /undefined.*null/],
    ["an undefined member", { a: { b: undefined } }, "$.a.b", /undefined.*leave the member out/],
    ["an undefined item", [1, undefined], "$[1]", /undefined/],
    ["a hole", [1, , 3], "$[1]", /undefined/], // eslint-disable-line no-sparse-arrays
    ["NaN", { rate: NaN }, "$.rate", /NaN/],
    ["Infinity", [[Infinity]], "$[0][0]", /Infinity/],
    ["-Infinity", -Infinity, "$", /-Infinity/],
    ["an integer beyond 2^53-1", { cents: 2 ** 53 }, "$.cents", /9007199254740992.*string/],
    ["an integer below -(2^53-1)", -1e300, "$", /beyond 2\^53-1/],
    ["a function", { then_what: () => 1 }, "$.then_what", /a function/],
    ["a symbol", { "odd key": Symbol("s") }, '$["odd key"]', /a symbol/],
    ["a symbol as a key", { a: { [Symbol("hidden")]: 1 } }, "$.a", /Symbol\(hidden\)/],
    ["a lone surrogate", { a: "\ud800" }, "$.a", /lone surrogate/],
    ["a lone surrogate in a key", { a: { "\udfff": 1 } }, '$.a["\\udfff"]', /lone surrogate/],
    ["__proto__ as a key", JSON.parse('{"a":{"__proto__":1}}'), "$.a.__proto__", /__proto__/],
    ["a Date", { at: new Date(0) }, "$.at", /type Date/],
    ["a Map", { all: new Map([[1, 2]]) }, "$.all", /type Map/],
    ["a Set", [new Set([1])], "$[0]", /type Set/],
    ["an Error", { error: new Error("x") }, "$.error", /type Error/],
    ["a RegExp", { pattern: /x/ }, "$.pattern", /type RegExp/],
    ["a Promise", { later: Promise.resolve(1) }, "$.later", /type Promise/],
    ["a Buffer", { bytes: Buffer.from("x") }, "$.bytes", /type Uint8Array/],
    ["a URL", { link: new URL("https://example.org") }, "$.link", /type URL/],
    ["a boxed number", { count: Object(1) as unknown }, "$.count", /type Number/],
    ["a toJSON method", { money: { toJSON: () => "1.00" } }, "$.money", /toJSON/],
    [
      "an inherited toJSON method",
      {
        money: new (class {
          toJSON() {
            return 1;
          }
        })(),
      },
      "$.money",
      /toJSON/,
    ],
    ["an array with a named member", { match: /a/.exec("a") }, "$.match", /the member "index"/],
    ["an array with a member below its first", Object.assign([1], { "-1": 2 }), "$", /the member "-1"/],
    ["an array with a toJSON method", { list: Object.assign([1], { toJSON: () => 1 }) }, "$.list", /toJSON/],
    [
      "an array with a symbol as a key",
      { list: Object.assign([1], { [Symbol("s")]: 1 }) },
      "$.list",
      /Symbol\(s\)/,
    ],
    [
      "an array that says it is endless",
      new Proxy([], { get: (_, key) => (key === "length" ? 1e9 : 0) }),
      "$",
      /larger than/,
    ],
    [
      "a getter that throws behind an empty key",
      {
        a: {
          get [""]() {
            throw new Error("x");
          },
        },
      },
      '$.a[""]',
      /threw/,
    ],
    ["a proxy of a Date", { at: new Proxy(new Date(0), {}) }, "$.at", /toJSON/],
    ["a proxy of a Map", { all: new Proxy(new Map(), {}) }, "$.all", /type Map/],
    ["a text of more than 8 MiB", { text: "x".repeat(2 ** 23) }, "$", /larger than the \d+ bytes/],
    [
      "a text that has more than 8 MiB only as UTF-8",
      ["\u20ac".repeat(2 ** 22)],
      "$",
      /larger than the \d+ bytes/,
    ],
    ["a text that has more than 8 MiB only when it is escaped", "\u0001".repeat(2 ** 21), "$", /larger than/],
    ["one object that is held 2^100 times", bomb(100), "$", /larger than/],
    ["a getter that throws", throwing, "$.deep.money", /threw while it was read/],
    [
      "nesting beyond the bound",
      nested(MAX_OUTPUT_DEPTH + 1),
      `$${".in[0]".repeat(MAX_OUTPUT_DEPTH / 2).replace(/^\.in/, "")}`,
      /nested deeper than 120/,
    ],
  ];
  for (const [what, value, path, problem] of refused) {
    it(`refuses ${what}, naming its place`, () => {
      assert.throws(
        () => toPlainJson(value),
        (error: unknown) => {
          assert.ok(error instanceof NotJson);
          assert.match(error.problem, problem);
          if (what !== "nesting beyond the bound") assert.equal(error.path, path);
          return true;
        },
      );
    });
  }

  it("keeps what a getter threw as the cause", () => {
    assert.throws(
      () => toPlainJson(throwing),
      (error: NotJson) => (error.cause as Error).message === "no connection",
    );
  });

  it("refuses an object whose every trap throws, without throwing anything else", () => {
    const trap = () => {
      throw new Error("trap");
    };
    const hostile = new Proxy(
      {},
      { get: trap, ownKeys: trap, getPrototypeOf: trap, has: trap, getOwnPropertyDescriptor: trap },
    );
    assert.throws(() => toPlainJson({ a: [hostile] }), { name: "NotJson", path: "$.a[0]" });
  });
});

describe("what JSON carries", () => {
  it("is copied without what is no member of its own, whatever every object was given meanwhile", () => {
    Object.defineProperty(Object.prototype, "everywhere", { value: 1, enumerable: true, configurable: true });
    try {
      const copy = toPlainJson({ a: [{ b: 0 }] }) as { readonly a: readonly object[] };
      assert.deepEqual([Object.keys(copy), Object.keys(copy.a[0] ?? {})], [["a"], ["b"]]);
    } finally {
      Reflect.deleteProperty(Object.prototype, "everywhere");
    }
  });

  it("is copied as it is: every JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: "binary" }), (value) => {
        fc.pre(isReadBack(value));
        const copy = toPlainJson(value);
        assert.deepEqual(JSON.parse(JSON.stringify(copy)), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("shares nothing with the original, so that nobody can change it later", () => {
    const original = { lines: [{ cents: 1 }] };
    const copy = toPlainJson(original);
    original.lines[0]!.cents = 2;
    assert.deepEqual(copy, { lines: [{ cents: 1 }] });
  });

  it("holds the own members of a data class, and an object without a prototype", () => {
    assert.deepEqual(toPlainJson(new Receipt("r", [{ cents: 2 }])), { id: "r", lines: [{ cents: 2 }] });
    assert.deepEqual(toPlainJson(Object.assign(Object.create(null) as object, { a: 1 })), { a: 1 });
  });

  it("may hold one object twice, where it is no cycle", () => {
    const shared = { a: 1 };
    assert.deepEqual(toPlainJson({ x: shared, y: [shared, shared] }), {
      x: { a: 1 },
      y: [{ a: 1 }, { a: 1 }],
    });
  });

  it("may be nested as deep as the bound", () => {
    const value = nested(MAX_OUTPUT_DEPTH);
    assert.deepEqual(toPlainJson(value), value);
  });

  it("may use the names of Object.prototype as keys", () => {
    const value = JSON.parse(
      '{"constructor":1,"toString":2,"valueOf":3,"hasOwnProperty":4,"toJSON":5}',
    ) as JsonValue;
    assert.deepEqual(toPlainJson(value), value);
  });

  it("may have nearly 8 MiB", () => {
    const text = "x".repeat(2 ** 23 - 2 ** 16 - 2);
    assert.equal(toPlainJson(text), text);
    assert.throws(() => toPlainJson(`${text}x`), /larger than/);
  });

  it("holds 0 for -0, so that it is the same when it is read back", () => {
    assert.ok(Object.is((toPlainJson({ a: [-0] }) as { a: number[] }).a[0], 0));
  });

  it("may hold every integer from -(2^53-1) to 2^53-1", () => {
    assert.deepEqual(toPlainJson([2 ** 53 - 1, 1 - 2 ** 53, 0.1, 0]), [2 ** 53 - 1, 1 - 2 ** 53, 0.1, 0]);
  });
});

/** fast-check also makes what this package refuses to read: see the refusals above. */
function isReadBack(value: unknown): boolean {
  if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(
    ([key, member]) => key !== "__proto__" && key.isWellFormed() && isReadBack(member),
  );
}
