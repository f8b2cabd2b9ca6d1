import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { it } from "node:test";
import { outputOn } from "#salvor/cli/terminal.js";

function terminal(columns: number): PassThrough & { isTTY: boolean; columns: number } {
  return Object.assign(new PassThrough(), { isTTY: true, columns });
}

it("a terminal gets colours", () => {
  assert.equal(outputOn(terminal(80), {}).paint("red", "no"), "\u001b[31mno\u001b[39m");
});

it("NO_COLOR, a dumb terminal and a pipe get plain text", () => {
  assert.equal(outputOn(terminal(80), { NO_COLOR: "1" }).paint("red", "no"), "no");
  assert.equal(outputOn(terminal(80), { TERM: "dumb" }).paint("red", "no"), "no");
  assert.equal(outputOn(new PassThrough(), {}).paint("red", "no"), "no");
});

it("an empty NO_COLOR says nothing, as its standard has it", () => {
  assert.notEqual(outputOn(terminal(80), { NO_COLOR: "" }).paint("red", "no"), "no");
});

it("only a terminal that knows its width limits a line", () => {
  assert.equal(outputOn(terminal(80), {}).columns, 80);
  assert.equal(outputOn(terminal(0), {}).columns, Infinity);
  assert.equal(outputOn(new PassThrough(), {}).columns, Infinity);
});
