import type { JsonPath } from "../log/json-path.js";

/** The scanner met something it does not know: nothing it found is to be trusted. */
export class UnsureError extends Error {
  override readonly name = "UnsureError";
}

/** Deeper than any declaration that is accepted; beyond it nobody needs positions. */
const MAX_DEPTH = 200;

/**
 * Walks over a TOML text and tells where each key is written. It knows keys, tables and the shapes of values, not their
 * contents: what it passes the parser has accepted.
 */
export class TomlScanner {
  #at = 0;
  #table: JsonPath = [];
  readonly #tableCounts = new Map<string, number>();

  constructor(
    private readonly text: string,
    /** Told every key, from the outside in, in the order of the text; an implied table at the key that implies it. */
    private readonly onKey: (path: JsonPath, offset: number) => void,
  ) {}

  /** @throws {@link UnsureError} */
  scan(): void {
    for (;;) {
      this.#blank();
      if (this.#at >= this.text.length) return;
      if (this.text.startsWith("[[", this.#at)) this.#header(2);
      else if (this.text[this.#at] === "[") this.#header(1);
      else this.#pair(this.#table);
    }
  }

  #header(brackets: 1 | 2): void {
    const start = this.#at;
    this.#at += brackets;
    const keys = this.#keys().map(([key]) => key);
    this.#expect(brackets === 2 ? "]]" : "]");
    const last = keys.pop() ?? "";
    let path: JsonPath = [];
    for (const key of keys) path = this.#enter([...path, key], start);
    path = [...path, last];
    if (brackets === 2) {
      const name = JSON.stringify(path);
      const count = this.#tableCounts.get(name) ?? 0;
      this.#tableCounts.set(name, count + 1);
      this.onKey(path, start);
      path = [...path, count];
    }
    this.onKey(path, start);
    this.#table = path;
  }

  /** Goes into a table that a header mentions on its way: the last one, when it is an array of tables. */
  #enter(path: JsonPath, offset: number): JsonPath {
    this.onKey(path, offset);
    const count = this.#tableCounts.get(JSON.stringify(path));
    return count === undefined ? path : [...path, count - 1];
  }

  #pair(table: JsonPath): void {
    let path = table;
    for (const [key, offset] of this.#keys()) {
      path = [...path, key];
      if (path.length > MAX_DEPTH) throw new UnsureError();
      this.onKey(path, offset);
    }
    this.#expect("=");
    this.#space();
    this.#value(path);
  }

  #keys(): readonly (readonly [key: string, offset: number])[] {
    const keys: (readonly [string, number])[] = [];
    do {
      this.#space();
      const offset = this.#at;
      keys.push([this.#key(), offset]);
      if (keys.length > MAX_DEPTH) throw new UnsureError();
      this.#space();
    } while (this.#take("."));
    return keys;
  }

  #key(): string {
    const quoted = this.#match(/"(?:[^"\\\n]|\\.)*"/y);
    if (quoted !== undefined) return unquote(quoted);
    const literal = this.#match(/'[^'\n]*'/y);
    if (literal !== undefined) return literal.slice(1, -1);
    return this.#match(/[A-Za-z0-9_-]+/y) ?? unsure();
  }

  #value(path: JsonPath): void {
    if (path.length > MAX_DEPTH) throw new UnsureError();
    if (this.#take("[")) this.#array(path);
    else if (this.#take("{")) this.#inlineTable(path);
    else this.#scalar();
  }

  #array(path: JsonPath): void {
    for (let index = 0; ; index += 1) {
      this.#blank();
      if (this.#take("]")) return;
      this.onKey([...path, index], this.#at);
      this.#value([...path, index]);
      this.#blank();
      if (!this.#take(",") && this.text[this.#at] !== "]") throw new UnsureError();
    }
  }

  #inlineTable(path: JsonPath): void {
    for (;;) {
      this.#blank();
      if (this.#take("}")) return;
      this.#pair(path);
      this.#blank();
      if (!this.#take(",") && this.text[this.#at] !== "}") throw new UnsureError();
    }
  }

  #scalar(): void {
    const found =
      this.#match(/"""(?:[^"\\]|\\[\s\S]|"(?!""))*"{3,5}/y) ??
      this.#match(/'''(?:[^']|'(?!''))*'{3,5}/y) ??
      this.#match(/"(?:[^"\\\n]|\\.)*"/y) ??
      this.#match(/'[^'\n]*'/y) ??
      // A date may have a space before its time.
      this.#match(/\d{4}-\d\d-\d\d \d\d:[0-9:.+Zz-]+/y) ??
      this.#match(/[A-Za-z0-9_+.:-]+/y);
    if (found === undefined) throw new UnsureError();
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #take(token: string): boolean {
    if (!this.text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #expect(token: string): void {
    this.#space();
    if (!this.#take(token)) throw new UnsureError();
  }

  #space(): void {
    this.#match(/[ \t]+/y);
  }

  /** Space, line ends and comments. */
  #blank(): void {
    this.#match(/(?:[ \t\r\n]+|#[^\n]*)+/y);
  }
}

function unquote(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    // An escape that only TOML has.
    return unsure();
  }
}

function unsure(): never {
  throw new UnsureError();
}
