import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  parseBind,
  parseCount,
  parseOrigin,
  parseRunArgument,
  parseServerUrl,
  parseVariableName,
} from "#salvor/cli/option-parsers.js";

describe("an address to bind", () => {
  it("is a host and a port, an IPv6 address in brackets", () => {
    assert.deepEqual(parseBind("127.0.0.1:8080"), { host: "127.0.0.1", port: 8080 });
    assert.deepEqual(parseBind("[::1]:0"), { host: "::1", port: 0 });
    assert.deepEqual(parseBind("localhost:65535"), { host: "localhost", port: 65_535 });
  });
  for (const text of [
    "8080",
    ":8080",
    "127.0.0.1",
    "127.0.0.1:",
    "h:65536",
    "::1:80",
    "http://h:80",
    "a b:80",
    "h:-1",
  ])
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseBind(text), { code: "commander.invalidArgument" });
    });
});

describe("the address of a server", () => {
  it("loses its trailing slash and keeps its path", () => {
    assert.equal(parseServerUrl("http://127.0.0.1:8080/"), "http://127.0.0.1:8080");
    assert.equal(parseServerUrl("https://ops.example.com/salvor/"), "https://ops.example.com/salvor");
  });
  for (const text of ["127.0.0.1:8080", "ftp://h", "http://me:secret@h", "http://h/?token=x", "http://h/#x"])
    it(`is not ${text}`, () => {
      assert.throws(() => parseServerUrl(text), { code: "commander.invalidArgument" });
    });
});

it("an origin has no path", () => {
  assert.equal(parseOrigin("https://Desk.example.com"), "https://desk.example.com");
  assert.throws(() => parseOrigin("https://desk.example.com/x"), { code: "commander.invalidArgument" });
  assert.throws(() => parseOrigin("*"), { code: "commander.invalidArgument" });
});

it("a text that is no variable's name may be a secret and is not repeated", () => {
  assert.equal(parseVariableName("SALVOR_TOKEN"), "SALVOR_TOKEN");
  assert.throws(
    () => parseVariableName("s3cr3t-value!"),
    (error: Error) => error.name === "CliError" && !`${error.message}${error.stack ?? ""}`.includes("s3cr3t"),
  );
});

it("a run id is a UUID of any case, kept in lower case", () => {
  assert.equal(
    parseRunArgument("6D1B7A7E-0000-4000-8000-00000000ABCD"),
    "6d1b7a7e-0000-4000-8000-00000000abcd",
  );
  assert.throws(() => parseRunArgument("6d1b7a7e"), { code: "commander.invalidArgument" });
});

it("a count is a whole number from 1 on", () => {
  assert.equal(parseCount("20"), 20);
  for (const text of ["0", "-1", "1.5", "1e3", "", "x", "99999999999999999999"])
    assert.throws(() => parseCount(text), { code: "commander.invalidArgument" }, text);
});
