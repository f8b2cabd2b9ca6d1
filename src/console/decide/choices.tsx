import type { Waiting } from "./waiting.js";

/** What a person can do: each is a form. */
export type Opened = "happened" | "not_performed" | "resume" | "abandon";

export function Choices({
  waiting,
  onOpen,
}: {
  readonly waiting: Waiting;
  readonly onOpen: (what: Opened) => void;
}) {
  return (
    <div class="actions">
      {waiting.kind === "call" && waiting.canSettle && (
        <>
          <button type="button" class="primary" onClick={() => onOpen("happened")}>
            It happened…
          </button>
          <button type="button" onClick={() => onOpen("not_performed")}>
            It did not happen…
          </button>
        </>
      )}
      {waiting.kind === "input" && (
        <button type="button" class="primary" onClick={() => onOpen("resume")}>
          {waiting.isBudget ? "Extend and resume…" : "Answer and resume…"}
        </button>
      )}
      <span class="spring" />
      <button type="button" class="quiet-danger" onClick={() => onOpen("abandon")}>
        Abandon…
      </button>
    </div>
  );
}
