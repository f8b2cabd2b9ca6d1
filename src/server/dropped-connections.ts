import type { Server } from "node:http";
import type { AppState } from "./app-state.js";

/** How often a flood that goes on is spoken of, in milliseconds. */
const EVERY_MS = 10_000;

/** Counts the connections that a server drops without an answer, and says so: at once, then once in a while. */
export function noteDropped(server: Server, { logger, observer }: AppState): void {
  let dropped = 0;
  let said = -Infinity;
  server.on("drop", () => {
    dropped += 1;
    observer.metrics.droppedConnections.add();
    const now = performance.now();
    if (now - said < EVERY_MS) return;
    said = now;
    logger?.warn({ dropped }, "more connections than can be told to come back: they are dropped unanswered");
  });
}
