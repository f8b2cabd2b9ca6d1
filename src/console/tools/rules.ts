import type { DeclaredClientTool } from "../../client/answers.js";
import type { KnownTool } from "./known-tool.js";

/** What is known of a tool, as sentences. */
export function rulesOf(tool: KnownTool): readonly string[] {
  if (tool.performer === "server")
    return [EFFECTS[tool.effect], "This server performs it, and records what comes of it."];
  return [EFFECTS[tool.effect], closing(tool), ...pins(tool), identity(tool)];
}

const EFFECTS: Readonly<Record<DeclaredClientTool["effect"], string>> = {
  read: "It changes nothing: after a crash it is simply asked again.",
  idempotent: "It may be repeated under the same key: after a crash it is.",
  write: "It is never repeated on a guess: when nobody knows how a call ended, a person settles it.",
};

function closing({ trust_completion: trusted, output_schema: schema }: DeclaredClientTool): string {
  if (schema === undefined)
    return "A person settles every call: without an output_schema no client may close one, not even as failed.";
  if (!trusted) return "A person settles every call: what a client reports is kept, and closes nothing.";
  return "A client's report closes a call, if it matches the output_schema.";
}

function pins({ require_equal: pinned = [] }: DeclaredClientTool): readonly string[] {
  if (pinned.length === 0) return [];
  return [`What is reported has the same ${listed(pinned)} as what was asked for.`];
}

function identity({ idempotency_key: fields = [], effect }: DeclaredClientTool): string {
  if (fields.length === 0) return "Each call is one of its own, told apart by its place in its run.";
  const same = `In one run, the same ${listed(fields)} ${fields.length === 1 ? "is" : "are"} the same call`;
  return effect === "read"
    ? `${same}, under the same key.`
    : `${same}: the second is answered from the first.`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}
