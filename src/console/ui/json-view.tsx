import type { ComponentChild } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { JsonValue } from "../../contract/json.js";
import { prettyJson } from "./json-text.js";
import { moneyOf } from "./money.js";
import { visibleLines } from "./visible.js";

/** How much of a value is shown before somebody asks for the rest, in characters. */
const SHOWN = 4_000;

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

/** A JSON value as it is, coloured. */
export function JsonView({ value, label }: { readonly value: JsonValue; readonly label: string }) {
  const [whole, setWhole] = useState(false);
  const text = useMemo(() => visibleLines(prettyJson(value)), [value]);
  const isCut = !whole && text.length > SHOWN;
  return (
    <div class="json">
      {/* Reachable by keyboard, for what is too wide or long has to be scrolled. */}
      <pre tabIndex={0} role="group" aria-label={label}>
        <code>{coloured(isCut ? text.slice(0, SHOWN) : text, isCut)}</code>
      </pre>
      {isCut && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </button>
      )}
    </div>
  );
}

/** Cents are shown as money beside what is written, and not in it: what is copied is the JSON. */
function coloured(text: string, isCut: boolean): readonly ComponentChild[] {
  const parts: ComponentChild[] = [];
  let at = 0;
  let key = "";
  for (const match of text.matchAll(TOKEN)) {
    const [token, string, colon, number] = match;
    if (match.index > at) parts.push(text.slice(at, match.index));
    at = match.index + token.length;
    if (string !== undefined && colon !== undefined) {
      parts.push(<span class="json-key">{string}</span>, colon);
      key = string.slice(1, -1);
    } else {
      const kind = string !== undefined ? "json-text" : number !== undefined ? "json-number" : "json-word";
      // A number that the cut goes through is another one.
      const isWhole = number !== undefined && !(isCut && at === text.length);
      const money = isWhole ? moneyOf(key, Number(number)) : undefined;
      parts.push(
        <span class={kind} data-money={money}>
          {token}
        </span>,
      );
      key = "";
    }
  }
  parts.push(text.slice(at));
  return parts;
}
