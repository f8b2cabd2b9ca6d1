import assert from "node:assert/strict";
import { it } from "node:test";
import { bindText, isLoopback, resolveBind } from "#salvor/cli/bind.js";

it("only this machine's own addresses are loopback", () => {
  for (const address of ["127.0.0.1", "127.9.9.9", "::1"]) assert.equal(isLoopback(address), true, address);
  for (const address of [
    "0.0.0.0",
    "::",
    "10.0.0.1",
    "128.0.0.1",
    "fe80::1",
    "localhost",
    "127.0.0.1.example",
  ])
    assert.equal(isLoopback(address), false, address);
});

it("a name is judged and bound by its address", async () => {
  const { host, port } = await resolveBind({ host: "localhost", port: 80 });
  assert.equal(isLoopback(host), true);
  assert.equal(port, 80);
});

it("a name without an address is refused by name", async () => {
  await assert.rejects(resolveBind({ host: "no-such-host.invalid", port: 80 }), /no-such-host\.invalid/);
});

it("an IPv6 address is written in brackets", () => {
  assert.equal(bindText({ host: "::1", port: 80 }), "[::1]:80");
  assert.equal(bindText({ host: "127.0.0.1", port: 80 }), "127.0.0.1:80");
});
