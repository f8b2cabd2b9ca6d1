import { canonicalJson } from "../../log/canonical-json.js";
import type { SchemaArtefact } from "../../contract/artefact.js";

/**
 * What differs between the artefact in a file and a fresh one, a line for each difference; none when the bytes are equal.
 *
 * @param old the file's text; absent when there is no file.
 */
export function compareArtefacts(
  old: string | undefined,
  text: string,
  fresh: SchemaArtefact,
): readonly string[] {
  if (old === text) return [];
  if (old === undefined) return ["the file is missing"];
  const known = toolsOf(old);
  if (known === undefined) return ["the file is no schema artefact"];
  const lines = toolDifferences(known, fresh.tools);
  return lines.length > 0
    ? lines
    : ["no tool changed, but the file was written by other versions or by hand"];
}

/** What differs between the tools of two artefacts, a line for each tool that does. */
export function toolDifferences(
  known: { readonly [name: string]: unknown },
  fresh: SchemaArtefact["tools"],
): readonly string[] {
  const names = [...new Set([...Object.keys(known), ...Object.keys(fresh)])].sort();
  return names.flatMap((name) => {
    const now = Object.hasOwn(fresh, name) ? fresh[name] : undefined;
    const then = Object.hasOwn(known, name) ? known[name] : undefined;
    if (now === undefined) return [`${name}: is no tool any more`];
    if (then === undefined) return [`${name}: is new`];
    const parts = then === now ? [] : changedParts(then, { ...now });
    return parts.length === 0 ? [] : [`${name}: ${parts.join(", ")} changed`];
  });
}

function toolsOf(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value = JSON.parse(text) as { readonly tools?: unknown } | null;
    const tools = value?.tools;
    return typeof tools === "object" && tools !== null
      ? (tools as { readonly [name: string]: unknown })
      : undefined;
  } catch {
    return undefined;
  }
}

function changedParts(then: unknown, now: { readonly [part: string]: unknown }): readonly string[] {
  const before =
    typeof then === "object" && then !== null ? (then as { readonly [part: string]: unknown }) : {};
  const parts = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (part) => part !== "fingerprint",
  );
  return parts.filter((part) => textOf(before[part]) !== textOf(now[part])).sort();
}

function textOf(value: unknown): string {
  return value === undefined ? "" : canonicalJson(value as Parameters<typeof canonicalJson>[0]);
}
