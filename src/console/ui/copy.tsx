import { useEffect, useState } from "preact/hooks";

interface CopyProps {
  readonly text: string;
  /** What is copied, for whoever does not see where the button stands. */
  readonly what: string;
  readonly children?: string;
}

/** Copies a text as it is, and says so. */
export function Copy({ text, what, children = "Copy" }: CopyProps) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return undefined;
    const timer = setTimeout(() => setSaid(""), 2_000);
    return () => {
      clearTimeout(timer);
    };
  }, [said]);
  const copy = async (): Promise<void> => {
    setSaid((await copied(text)) ? "Copied" : "Not copied");
  };
  return (
    <button type="button" class="quiet copy" aria-label={`${children} ${what}`} onClick={() => void copy()}>
      <span aria-live="polite">{said === "" ? children : said}</span>
    </button>
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedFromField(text);
  }
}

/** Over plain HTTP from another machine a page has no clipboard of its own. */
function copiedFromField(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "offscreen";
  const place = document.querySelector("dialog[open]") ?? document.body;
  place.append(field);
  field.select();
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- there is no other way there
    return document.execCommand("copy");
  } finally {
    field.remove();
  }
}
