import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer } from "../support/test-server.js";

/** One sentence of the contract: its number, its meaning in our words, and what shows that it is true. */
export type Row = readonly [number: string, meaning: string, holds: () => void | Promise<void>];

/**
 * The rows of a section; none of its numbers may be missing or be there twice.
 *
 * @param first the number of the first row, where another file holds those before it.
 */
export function table(section: number | string, title: string, rows: readonly Row[], first = 1): void {
  describe(`section ${section} of the contract: ${title}`, () => {
    it("has a row for every number", () => {
      assert.deepEqual(
        rows.map(([number]) => number),
        rows.map((_, at) => `${section}.${at + first}`),
      );
    });
    for (const [number, meaning, holds] of rows) it(`${number} ${meaning}`, holds);
  });
}

/** Holds an answer to a status and, of a refusal, its code; answers its body. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export function is(answer: Answer, status: number, code?: string, message?: RegExp): any {
  const { error } = answer.json as { error?: { code: string; message: string } };
  assert.deepEqual([answer.status, error?.code], [status, code], answer.text);
  if (message !== undefined) assert.match(error?.message ?? "", message);
  return answer.json;
}
