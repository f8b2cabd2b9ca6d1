import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { causeChain } from "#salvor/contract/cause-chain.js";

describe("causeChain", () => {
  it("names every cause, outermost first, also one that is no Error", () => {
    const error = new Error("a", { cause: new TypeError("b", { cause: "c" }) });
    assert.equal(causeChain(error), "a; caused by: b; caused by: c");
    assert.equal(causeChain("only a text"), "only a text");
    assert.equal(causeChain(undefined), "undefined");
  });

  it("names what an AggregateError holds, and an error that says nothing by its name", () => {
    const refused = new AggregateError([new Error("::1 refused"), new Error("127.0.0.1 refused")]);
    assert.equal(
      causeChain(new Error("no connection", { cause: refused })),
      "no connection; caused by: several failures (::1 refused; 127.0.0.1 refused)",
    );
    assert.equal(causeChain(new RangeError("")), "RangeError");
  });

  it("ends in a chain that leads back to itself", () => {
    const error = new Error("again");
    error.cause = error;
    assert.match(causeChain(error), /^again(; caused by: again){1,30}$/);
  });

  it("never throws, whatever was thrown", () => {
    const hostile = Object.defineProperties(new Error("x"), {
      message: {
        get: () => {
          throw new Error("no");
        },
      },
      cause: {
        get: () => {
          throw new Error("no");
        },
      },
    });
    assert.equal(causeChain(hostile), "a thrown object");
    assert.equal(causeChain(Object.create(null)), "a thrown object");
  });
});
