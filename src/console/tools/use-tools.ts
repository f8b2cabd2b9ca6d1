import { useMemo } from "preact/hooks";
import type { SalvorClient } from "../../client/salvor-client.js";
import { useLive } from "../live.js";
import type { KnownTool, KnownTools } from "./known-tool.js";

export interface Tools {
  readonly byName: KnownTools;
  readonly isRead: boolean;
  readonly problem: string;
}

/** Declarations do not change while a server runs, but the server may be another one by now. */
const AGAIN_MS = 60_000;

export function useTools(): Tools {
  const { value, problem } = useLive("tools", AGAIN_MS, readTools);
  const byName = useMemo(() => new Map((value ?? []).map((tool) => [tool.name, tool])), [value]);
  return { byName, isRead: value !== undefined, problem };
}

async function readTools(client: SalvorClient, signal: AbortSignal): Promise<readonly KnownTool[]> {
  const [declared, hosted] = await Promise.all([
    client.clientTools({ signal }),
    client.hostedTools({ signal }),
  ]);
  return [
    ...declared.map((tool) => ({ ...tool, performer: "client" as const })),
    ...hosted.map((tool) => ({ ...tool, performer: "server" as const })),
  ];
}
