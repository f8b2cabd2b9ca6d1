import { visible } from "./visible.js";
import { Words } from "./words.js";

/** What the server said, for whoever looks into it: folded away below the words for a person. */
export function ServerWords({ code, message }: { readonly code: string; readonly message: string }) {
  return (
    <details class="server-words">
      <summary>What the server said</summary>
      <p>
        <code>{visible(code)}</code> <Words text={message} />
      </p>
    </details>
  );
}
