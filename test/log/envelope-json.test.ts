import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "#salvor/contract/json.js";
import { canonicalJson } from "#salvor/log/canonical-json.js";
import { canonicalEnvelope, envelopeJson } from "#salvor/log/envelope-json.js";
import type { Envelope } from "#salvor/log/events.js";
import { parseJson } from "#salvor/log/parse-json.js";
import { isRandomValue, reviveEnvelope } from "#salvor/log/revive-envelope.js";
import { at } from "./events-of.js";
import { afterwards, eventOf, PROBES, START } from "./history-model.js";
import { jsonValues } from "./json-values.js";

/** Reads the JSON text of one envelope, as every reader of the wire does. */
function parseEnvelope(text: string): Envelope {
  return reviveEnvelope(parseJson(text, { u64At: isRandomValue }));
}

const MAX = 2n ** 64n - 1n;
const u64 = fc.oneof(
  fc.constantFrom(0n, 1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, MAX),
  fc.bigInt({ min: 0n, max: MAX }),
);

/** Texts that look like whatever keeps the digits' place while an envelope is written. */
const mark = fc.oneof(
  fc.constantFrom("u64", "u64*", "u64**", '"u64"', '"u64*"', "$&", "$1", "$`", '\\"u64\\"', "value", "0"),
  fc.string({ unit: fc.constantFrom("u", "6", "4", "*", '"', "\\", "$", "&") }),
);

const extra = fc.dictionary(
  fc.oneof(mark, fc.constantFrom("a", "zz", "values")).filter((key) => key !== "value"),
  fc.oneof(mark, jsonValues),
);

function random(value: bigint, more: JsonObject = {}): Envelope {
  return at(4, "RandomObserved", { ...more, value });
}

describe("the text of an envelope", () => {
  for (const [name, write] of Object.entries({ envelopeJson, canonicalEnvelope })) {
    it(`keeps every digit of an unsigned 64-bit integer, whatever stands beside it (${name})`, () => {
      fc.assert(
        fc.property(u64, extra, mark, (value, more, run) => {
          const envelope = { ...random(value, more), run_id: run };
          const read = parseEnvelope(write(envelope));
          assert.equal((read.event.payload as { value: unknown }).value, value);
          assert.deepEqual(
            read,
            JSON.parse(
              JSON.stringify(envelope, (_key, each: unknown) => (typeof each === "bigint" ? 0 : each)),
              (key, each: unknown) => (each === 0 && key === "value" ? value : each),
            ),
          );
        }),
        { numRuns: 500 },
      );
    });

    it(`writes the digits as a number, not as a string (${name})`, () => {
      assert.ok(write(random(MAX)).includes('"value":18446744073709551615}'));
    });
  }

  it("is plain JSON for every other kind", () => {
    let standing = START;
    for (const probe of PROBES.filter((each) => each !== "RandomObserved")) {
      const envelope = eventOf(standing, probe);
      assert.equal(envelopeJson(envelope), JSON.stringify(envelope));
      assert.equal(canonicalEnvelope(envelope), canonicalJson(envelope as unknown as JsonObject));
      standing = afterwards(standing, probe);
    }
  });

  it("is canonical around the digits too", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0 }), extra, (value, more) => {
        const small = random(0n, more);
        const same = { ...small, event: { ...small.event, payload: { ...small.event.payload, value } } };
        assert.equal(
          canonicalEnvelope(random(BigInt(value), more)),
          canonicalJson(same as unknown as JsonObject),
        );
      }),
    );
  });

  it("quotes a value that is no integer: a stored log may hold anything, and its text stays JSON", () => {
    const forged = random('1}},"event":{"kind":"RunCompleted' as unknown as bigint);
    for (const text of [envelopeJson(forged), canonicalEnvelope(forged)]) {
      assert.deepEqual(JSON.parse(text), forged);
    }
  });

  it("reads back as the same envelope, for every kind", () => {
    let standing = START;
    for (const probe of PROBES) {
      const envelope = eventOf(standing, probe);
      assert.deepEqual(parseEnvelope(envelopeJson(envelope)), envelope);
      assert.deepEqual(parseEnvelope(canonicalEnvelope(envelope)), envelope);
      standing = afterwards(standing, probe);
    }
  });

  it("reads back unchanged also where a value is no integer, and is never coerced to one", () => {
    for (const value of ["5", "", null, -1, 1.5, true, [5], { value: 5 }]) {
      const forged = random(value as unknown as bigint);
      assert.deepEqual(parseEnvelope(envelopeJson(forged)), forged);
    }
    const bare = at(4, "RandomObserved", {} as never);
    assert.deepEqual(parseEnvelope(envelopeJson(bare)), bare);
  });
});
