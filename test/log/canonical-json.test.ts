import assert from "node:assert/strict";
import { describe, it } from "node:test";
import canonicalize from "canonicalize";
import fc from "fast-check";
import type { JsonValue } from "#salvor/contract/json.js";
import { canonicalJson, hashValue, sha256Hex } from "#salvor/log/canonical-json.js";
import { jsonEqual } from "#salvor/log/json-equal.js";
import { jsonValues, reordered } from "./json-values.js";

describe("canonical JSON", () => {
  // RFC 8785, section 3.2.2.
  it("spells literals, numbers and strings as the RFC's example", () => {
    const value = JSON.parse(
      String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    ) as JsonValue;
    assert.equal(
      canonicalJson(value),
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  // RFC 8785, section 3.2.3.
  it("sorts keys by UTF-16 code units, as the RFC's example", () => {
    const value = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };
    assert.equal(
      canonicalJson(value),
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",' +
        '"€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
    );
  });

  // RFC 8785, appendix B.
  const numbers: Readonly<Record<string, string>> = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    ffefffffffffffff: "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    c340000000000000: "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    becbf647612f3696: "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
  };
  for (const [bits, text] of Object.entries(numbers)) {
    it(`spells the double ${bits} as ${text}`, () => {
      assert.equal(canonicalJson(Buffer.from(bits, "hex").readDoubleBE()), text);
    });
  }

  it("is one text for equal values, in whatever order their keys are", () => {
    fc.assert(
      fc.property(jsonValues, fc.infiniteStream(fc.nat()), (value, picks) => {
        assert.equal(canonicalJson(reordered(value, picks)), canonicalJson(value));
      }),
    );
  });

  it("is what the RFC's library writes, whatever the keys look like", () => {
    const reference = canonicalize as unknown as (value: unknown) => string;
    const keys = fc.oneof(fc.integer({ min: 0, max: 99 }).map(String), fc.string({ maxLength: 3 }));
    const many = fc.dictionary(keys, jsonValues, { maxKeys: 40 });
    fc.assert(
      fc.property(fc.oneof(jsonValues, many), (value) => {
        assert.equal(canonicalJson(value), reference(value));
      }),
    );
    for (const value of [
      { b: undefined, a: 1 },
      { at: new Date(0) },
      JSON.parse('{"b":1,"__proto__":{"a":2}}'),
    ]) {
      assert.equal(canonicalJson(value as JsonValue), reference(value));
    }
  });

  it("reads back as an equal value", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        assert.ok(jsonEqual(JSON.parse(canonicalJson(value)) as JsonValue, value));
      }),
    );
  });

  it("is equal for two values exactly when they are equal", () => {
    fc.assert(
      fc.property(jsonValues, jsonValues, (a, b) => {
        assert.equal(canonicalJson(a) === canonicalJson(b), jsonEqual(a, b));
      }),
    );
  });

  for (const [what, value] of Object.entries({
    undefined: undefined,
    NaN: NaN,
    Infinity: Infinity,
    "a NaN inside": { a: [NaN] },
  })) {
    it(`refuses ${what}`, () => {
      assert.throws(() => canonicalJson(value as unknown as JsonValue), TypeError);
    });
  }
});

describe("the hash of a value", () => {
  for (const [text, hash] of [
    ['{"a":1}', "sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"],
    ["{}", "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"],
    ["null", "sha256:74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"],
  ] as const) {
    it(`is the wire contract's vector for ${text}`, () => {
      assert.equal(hashValue(JSON.parse(text) as JsonValue), hash);
    });
  }

  it("is taken over UTF-8", () => {
    assert.equal(sha256Hex("€"), "c4cc90ed3d26f12d4b08a75140970a7904035c31cbb4515a83f19b9003c00d1d");
  });
});
