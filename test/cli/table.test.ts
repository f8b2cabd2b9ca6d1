import assert from "node:assert/strict";
import { it } from "node:test";
import { tableLines } from "#salvor/cli/table.js";

const COLUMNS = [{ title: "RUN" }, { title: "EVENTS", align: "right" }, { title: "LABELS" }] as const;

it("columns are as wide as their widest cell, numbers to the right", () => {
  assert.deepEqual(
    tableLines(COLUMNS, [
      ["aaaa", "7", "x"],
      ["b", "1234567", ""],
    ]),
    ["RUN    EVENTS  LABELS", "aaaa        7  x", "b     1234567"],
  );
});

it("a narrow terminal cuts the end of a line and never widens it", () => {
  const lines = tableLines(COLUMNS, [["aaaa", "7", "desk=frankfurt"]], 20);
  assert.deepEqual(lines, ["RUN   EVENTS  LABELS", "aaaa       7  desk=…"]);
});

it("a column that has no room at all is left out rather than cut to a mark", () => {
  assert.deepEqual(tableLines(COLUMNS, [["aaaa", "7", "desk"]], 13), ["RUN   EVENTS", "aaaa       7"]);
});
