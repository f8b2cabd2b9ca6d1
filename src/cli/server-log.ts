import { pino, type Logger } from "pino";
import type { ServeOptions } from "./commands/serve.js";

/** Log text that waits for a slow reader, in bytes; what goes beyond is dropped: a reader that stalls never stalls a server. */
const MAX_WAITING = 16 * 1024 * 1024;

/** How many characters of lines wait for the end of a turn of the event loop at the most. */
const MAX_TOGETHER = 16 * 1024;

export interface ServerLog {
  readonly logger: Logger;
  /** Writes what still waits. */
  flush(): void;
}

/** The server's log: JSON lines on standard error. Lines of one turn of the event loop are written together. */
export function serverLog({ logLevel }: Pick<ServeOptions, "logLevel">): ServerLog {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: MAX_WAITING });
  let lines = "";
  const pass = (): void => {
    const text = lines;
    lines = "";
    if (text !== "") destination.write(text);
  };
  const write = (line: string): void => {
    if (lines === "") setImmediate(pass);
    lines += line;
    if (lines.length >= MAX_TOGETHER) pass();
  };
  return {
    logger: pino({ level: logLevel }, { write }),
    flush: () => {
      pass();
      destination.flushSync();
    },
  };
}
