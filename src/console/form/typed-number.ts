import { readJson } from "./read-json.js";

const WHOLE = /^(?:0|-?[1-9]\d*)$/;
const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

export const NOT_WHOLE = "A whole number, as 48000: no point, comma, space or exponent.";
const NO_NUMBER = "A number, as 12.50: digits, and a point before decimals.";

/** What was typed into a field for a number: the number that it plainly means; none, and what is wrong, for anything else. */
export function typedNumber(
  text: string,
  isWhole: boolean,
): { readonly value: number | undefined; readonly problem: string } {
  const typed = text.trim();
  if (typed === "") return { value: undefined, problem: "" };
  const { value, problem } = readJson(typed);
  if (!(isWhole ? WHOLE : DECIMAL).test(typed) || Object.is(value, -0))
    return { value: undefined, problem: isWhole ? NOT_WHOLE : NO_NUMBER };
  // What a double would round.
  if (typeof value !== "number") return { value: undefined, problem: problem.replace(/^\$: /, "") };
  return { value, problem };
}
