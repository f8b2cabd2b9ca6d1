import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { snakeCase, TOOL_NAME } from "#salvor/contract/tool-name.js";

describe("the name that a class gives its tool", () => {
  const names: Readonly<Record<string, string>> = {
    CreateTicket: "create_ticket",
    HTTPFetch: "http_fetch",
    Refund: "refund",
    RefundX: "refund_x",
    GetURL: "get_url",
    GetURLs2Go: "get_ur_ls2_go",
    S3Upload: "s3_upload",
    already_snake: "already_snake",
    Base64Encode: "base64_encode",
  };
  for (const [className, name] of Object.entries(names)) {
    it(`is ${name} for ${className}`, () => {
      assert.equal(snakeCase(className), name);
    });
  }

  it("holds no capital, loses no letter, and is a legal name for every plain class name", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,30}$/), (className) => {
        const name = snakeCase(className);
        assert.match(name, TOOL_NAME);
        assert.equal(name, name.toLowerCase());
        assert.equal(name.replaceAll("_", ""), className.toLowerCase().replaceAll("_", ""));
      }),
    );
  });
});
