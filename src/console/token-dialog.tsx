import { useState } from "preact/hooks";
import type { TokenNeed } from "./api.js";
import { Modal } from "./ui/modal.js";

const WORDS: Readonly<Record<TokenNeed, string>> = {
  missing: "This server is read and driven with a token.",
  refused: "The server does not accept this token: it is wrong, or not valid any more.",
  operator: "Only the operator decides this. Nothing was recorded, and what you typed is still there.",
};

interface TokenDialogProps {
  readonly need: TokenNeed;
  readonly onToken: (token: string) => void;
  readonly onClose: () => void;
}

/** Asks for the token, once: it stays in this tab and nowhere else. */
export function TokenDialog({ need, onToken, onClose }: TokenDialogProps) {
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    const token = typed.trim();
    if (/^[\x21-\x7e]+$/.test(token)) onToken(token);
    else
      setProblem(
        token === "" ? "Paste the token here." : "A token has no spaces and no letters beyond ASCII.",
      );
  };
  return (
    <Modal title={need === "operator" ? "The operator token" : "A token"} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p>{WORDS[need]}</p>
        <div class="field">
          <label for="token">
            {need === "operator" ? "Operator token" : "Token (the operator's decides, the client's reads)"}
          </label>
          <input
            id="token"
            type="password"
            autocomplete="off"
            data-first
            value={typed}
            aria-invalid={problem !== ""}
            aria-describedby="token-note"
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
          <p id="token-note" class={problem === "" ? "note" : "problem"}>
            {problem === "" ? "It is kept in this tab until you close it." : problem}
          </p>
        </div>
        <div class="actions">
          <button type="submit" class="primary">
            Use this token
          </button>
          <button type="button" onClick={onClose}>
            Not now
          </button>
        </div>
      </form>
    </Modal>
  );
}
