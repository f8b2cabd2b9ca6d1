import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { beforeEach, describe, it } from "node:test";
import { HttpSessions, type HttpSession } from "#salvor/mcp/server/http-sessions.js";

let now: number;
let ended: string[];
let sessions: HttpSessions;
beforeEach(() => {
  now = 0;
  ended = [];
  sessions = new HttpSessions({ most: 2, idleMs: 100 }, () => now);
});

function add(id: string): void {
  const close = () => Promise.resolve(void ended.push(id));
  sessions.add(id, { server: { close } } as unknown as HttpSession);
}

function use(id: string): EventEmitter {
  const response = new EventEmitter();
  sessions.use(id, response as unknown as ServerResponse);
  return response;
}

describe("the sessions of a server", () => {
  it("end when nothing was asked of them for too long, once there is to be another", async () => {
    add("old");
    now = 101;
    assert.equal(await sessions.makeRoom(), true);
    assert.deepEqual(ended, ["old"]);
    assert.equal(sessions.get("old"), undefined);
  });

  it("make room for a new one, the one that was idle longest first", async () => {
    add("a");
    now = 1;
    add("b");
    now = 2;
    use("a").emit("close");
    assert.equal(await sessions.makeRoom(), true);
    assert.deepEqual(ended, ["b"]);
  });

  it("stay while they are in use, however long that takes and whoever wants to come in", async () => {
    add("a");
    add("b");
    const [one, two] = [use("a"), use("b")];
    now = 1_000;
    assert.equal(await sessions.makeRoom(), false);
    assert.deepEqual(ended, []);
    one.emit("close");
    two.emit("close");
    assert.equal(await sessions.makeRoom(), true);
    assert.deepEqual(ended, ["a"]);
  });
});
