/**
 * Values of many rows, one parameter for each column. They are written here and not by the driver, which looks at every
 * element of an array three times: a batch has hundreds of them.
 */

/** What stands in an array of PostgreSQL without quotes, and is not its NULL. */
const PLAIN = /^[0-9A-Za-z_:.+-]{5,}$/;

/** As `uuid[]`. Ids that were parsed, and nothing else: they are not quoted. */
export function uuids(ids: readonly (string | null)[]): string {
  return array(ids.map((id) => id ?? "NULL"));
}

/** As `int[]`. */
export function integers(numbers: readonly (number | null)[]): string {
  return array(numbers.map((number) => (number === null ? "NULL" : String(number))));
}

/** As `boolean[]`. */
export function booleans(values: readonly (boolean | null)[]): string {
  return array(values.map((value) => (value === null ? "NULL" : String(value))));
}

/** As `text[]`, whatever they hold. */
export function texts(values: readonly (string | null)[]): string {
  return array(values.map(element));
}

/** JSON texts, for `string_to_array` with a line break: none holds one, and nothing has to be quoted or looked for. */
export function lines(values: readonly string[]): string {
  return values.join("\n");
}

function array(elements: readonly string[]): string {
  return `{${elements.join(",")}}`;
}

function element(text: string | null): string {
  if (text === null) return "NULL";
  return PLAIN.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`;
}
