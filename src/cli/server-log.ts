import { pino, type Logger } from "pino";
import type { ServeOptions } from "./commands/serve.js";

/** Log text that waits for a slow reader, in bytes; what goes beyond is dropped: a reader that stalls never stalls a server. */
const MAX_WAITING = 16 * 1024 * 1024;

export interface ServerLog {
  readonly logger: Logger;
  /** Writes what still waits. */
  flush(): void;
}

/** The server's log: JSON lines on standard error. */
export function serverLog({ logLevel }: Pick<ServeOptions, "logLevel">): ServerLog {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: MAX_WAITING });
  return {
    logger: pino({ level: logLevel }, destination),
    flush: () => {
      destination.flushSync();
    },
  };
}
