import type { ComponentChild } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { JsonValue } from "../../contract/json.js";
import { prettyJson } from "./json-text.js";
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
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{coloured(isCut ? text.slice(0, SHOWN) : text)}</code>
      </pre>
      {isCut && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString("en")} characters
        </button>
      )}
    </div>
  );
}

function coloured(text: string): readonly ComponentChild[] {
  const parts: ComponentChild[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, string, colon, number] = match;
    if (match.index > at) parts.push(text.slice(at, match.index));
    at = match.index + token.length;
    if (string !== undefined && colon !== undefined) {
      parts.push(<span class="json-key">{string}</span>, colon);
    } else {
      const kind = string !== undefined ? "json-text" : number !== undefined ? "json-number" : "json-word";
      parts.push(<span class={kind}>{token}</span>);
    }
  }
  parts.push(text.slice(at));
  return parts;
}
