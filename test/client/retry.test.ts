import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  SalvorError,
  TransportError,
  UnavailableError,
  UnexpectedAnswerError,
} from "#salvor/client/index.js";
import { BACKOFF_CAP_MS, BACKOFF_START_MS, backoff, retryDelay } from "#salvor/client/retry.js";
import { retryAfterMs } from "#salvor/client/transport.js";

const settings = { retries: 2, random: () => 0 };
const lost = new TransportError("GET /v1/runs", new Error("reset"));
const busy = (code: string, after?: number) => new UnavailableError("busy", { code, status: 503 }, after);

describe("retryDelay", () => {
  it("sends a request again when its answer was lost, as often as it may", () => {
    assert.deepEqual(
      [1, 2, 3].map((attempt) => retryDelay(lost, attempt, settings)),
      [BACKOFF_START_MS / 2, BACKOFF_START_MS, undefined],
    );
    assert.equal(retryDelay(lost, 1, { ...settings, retries: 0 }), undefined);
  });

  it("waits at least as long as the server asks for, and not at all when that is too long", () => {
    assert.equal(retryDelay(busy("store_unavailable", 3000), 1, settings), 3000 + BACKOFF_START_MS / 2);
    assert.equal(retryDelay(busy("store_unavailable", 60_000), 1, settings), undefined);
  });

  it("does not wait for what will not come: a server without a registry stays without one", () => {
    assert.equal(retryDelay(busy("tool_registry_unavailable"), 1, settings), undefined);
    assert.equal(typeof retryDelay(busy("shutting_down"), 1, settings), "number");
  });

  it("leaves an answer that stands to the caller", () => {
    for (const status of [400, 403, 409, 500]) {
      assert.equal(retryDelay(new SalvorError("no", { code: "x", status }), 1, settings), undefined);
    }
    assert.equal(retryDelay(new UnexpectedAnswerError("GET /", 200, "html"), 1, settings), undefined);
    assert.equal(typeof retryDelay(new UnexpectedAnswerError("GET /", 502, "html"), 1, settings), "number");
  });
});

describe("backoff", () => {
  it("grows, is spread over its upper half, and is capped", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, spread) => {
          const full = Math.min(BACKOFF_CAP_MS, BACKOFF_START_MS * 2 ** (attempt - 1));
          const pause = backoff(attempt, () => spread);
          assert.ok(pause >= full / 2 && pause <= full);
        },
      ),
    );
  });
});

describe("Retry-After", () => {
  it("is a count of seconds or a date; anything else says nothing", () => {
    const now = Date.parse("2030-01-01T00:00:00Z");
    assert.deepEqual(
      ["2", " 0 ", "Tue, 01 Jan 2030 00:00:05 GMT", "Mon, 31 Dec 2029 00:00:00 GMT", "soon", "-1", null].map(
        (header) => retryAfterMs(header, now),
      ),
      [2000, 0, 5000, 0, undefined, undefined, undefined],
    );
  });
});
