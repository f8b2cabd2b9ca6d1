import { useMemo } from "preact/hooks";
import type { DeclaredClientTool } from "../../client/answers.js";
import { useLive } from "../live.js";

export interface Tools {
  readonly byName: ReadonlyMap<string, DeclaredClientTool>;
  readonly isRead: boolean;
  readonly problem: string;
}

/** Declarations do not change while a server runs, but the server may be another one by now. */
const AGAIN_MS = 60_000;

export function useTools(): Tools {
  const { value, problem } = useLive("tools", AGAIN_MS, (client, signal) => client.clientTools({ signal }));
  const byName = useMemo(() => new Map((value ?? []).map((tool) => [tool.name, tool])), [value]);
  return { byName, isRead: value !== undefined, problem };
}
