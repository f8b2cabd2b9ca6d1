// What this page remembers, for as long as its tab is open and no longer.

const TOKEN = "salvor.token";
const OPERATOR = "salvor.operator";

/** What stands in where the browser keeps nothing for a page. */
const memory = new Map<string, string>();

/** The token that was given, or `undefined`. */
export function readToken(): string | undefined {
  return read(TOKEN);
}

export function keepToken(token: string | undefined): void {
  keep(TOKEN, token);
}

/** Who decides, as the log shall say; empty when nobody said. */
export function readOperator(): string {
  return read(OPERATOR) ?? "";
}

export function keepOperator(name: string): void {
  keep(OPERATOR, name === "" ? undefined : name);
}

function read(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return memory.get(key);
  }
}

function keep(key: string, value: string | undefined): void {
  try {
    if (value === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch {
    if (value === undefined) memory.delete(key);
    else memory.set(key, value);
  }
}
