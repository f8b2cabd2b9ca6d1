import type { Effect } from "../../contract/effect.js";
import type { RunStateName } from "../../log/fold.js";
import { visible } from "./visible.js";

const EFFECT_WORDS: Readonly<Record<Effect, string>> = {
  read: "changes nothing, may be repeated",
  idempotent: "may be repeated under the same key",
  write: "is never repeated on a guess",
};

/** What the operator said that a tool does. */
export function EffectBadge({ effect }: { readonly effect: string }) {
  const isKnown = Object.hasOwn(EFFECT_WORDS, effect);
  return (
    <span
      class={`badge effect-${isKnown ? effect : "write"}`}
      title={isKnown ? EFFECT_WORDS[effect as Effect] : undefined}
    >
      {visible(effect)}
    </span>
  );
}

const STATE_WORDS: Readonly<Record<RunStateName, string>> = {
  not_started: "not started",
  running: "running",
  awaiting_model: "awaiting a model",
  awaiting_tool: "awaiting a tool",
  needs_reconciliation: "open write",
  suspended: "suspended",
  budget_exceeded: "over budget",
  completed: "completed",
  failed: "failed",
  abandoned: "abandoned",
};

export function stateWords(state: string): string {
  return Object.hasOwn(STATE_WORDS, state) ? STATE_WORDS[state as RunStateName] : visible(state);
}

/** What a run is doing. */
export function StateBadge({ state }: { readonly state: string }) {
  return <span class={`state state-${state.replace(/[^a-z_]/g, "")}`}>{stateWords(state)}</span>;
}
