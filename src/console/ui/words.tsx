import { useState } from "preact/hooks";
import { cut, short, visible, visibleLines } from "./visible.js";
import { Copy } from "./copy.js";

/** How much of a text is shown before somebody asks for the rest, in characters. */
const SHOWN = 600;

/** Somebody else's words: whatever they hold, they stay what they are and where they are. */
export function Words({ text }: { readonly text: string }) {
  const [whole, setWhole] = useState(false);
  const shown = visibleLines(text);
  const isCut = !whole && shown.length > SHOWN;
  return (
    <>
      <bdi class="words">{isCut ? cut(shown, SHOWN) : shown}</bdi>
      {isCut && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {shown.length.toLocaleString("en")} characters
        </button>
      )}
    </>
  );
}

/** A name on one line, cut where it is too long to be one. */
export function Name({ text }: { readonly text: string }) {
  const shown = cut(visible(text), 80);
  return <bdi title={text.length > 80 ? cut(visible(text), 500) : undefined}>{shown}</bdi>;
}

/** A key or an id: its beginning, all of it for whoever points at it, and a way to copy it. */
export function Code({
  text,
  what,
  whole = false,
}: {
  readonly text: string;
  readonly what: string;
  readonly whole?: boolean;
}) {
  return (
    <span class="code">
      <code title={visible(text)}>{whole ? visible(text) : short(text)}</code>
      <Copy text={text} what={what} />
    </span>
  );
}

/** Labels of a run. */
export function Labels({ labels }: { readonly labels: Readonly<Record<string, string>> | undefined }) {
  const entries = Object.entries(labels ?? {});
  if (entries.length === 0) return null;
  return (
    <span class="labels">
      {entries.map(([key, value]) => (
        <span class="label" key={key} title={visible(`${key}=${value}`)}>
          <bdi>{cut(visible(key), 30)}</bdi>
          <bdi class="label-value">{cut(visible(value), 40)}</bdi>
        </span>
      ))}
    </span>
  );
}
