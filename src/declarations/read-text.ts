import { closeSync, fstatSync, openSync, readSync, constants } from "node:fs";

/** The largest file that is read, in bytes. */
const MAX_BYTES = 1024 * 1024;

/** A file that cannot be read as text. */
export class FileRefused extends Error {
  override readonly name = "FileRefused";
  constructor(
    readonly problem: string,
    readonly advice: string,
    options?: ErrorOptions,
  ) {
    super(problem, options);
  }
}

/**
 * Reads a small file of UTF-8 text.
 *
 * @throws {@link FileRefused} when it cannot be read, is no regular file, is over 1 MiB, or is not UTF-8.
 */
export function readText(path: string): string {
  const bytes = readBytes(path);
  if (bytes.length > MAX_BYTES) {
    throw new FileRefused(
      "is over 1 MiB",
      "split it: a declaration is one tool, and a schema a few kilobytes",
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new FileRefused("is not UTF-8", "save it as UTF-8", { cause });
  }
}

/** At most one byte more than is allowed, so that a file that is growing or endless is never read whole. */
function readBytes(path: string): Uint8Array {
  let descriptor: number | undefined;
  try {
    // Not blocking: a pipe that nobody writes to would hold up the start for ever.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(descriptor).isFile()) throw new FileRefused("is not a regular file", "name a file");
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (;;) {
      const read = readSync(descriptor, buffer, length, buffer.length - length, null);
      length += read;
      if (read === 0 || length === buffer.length) return buffer.subarray(0, length);
    }
  } catch (cause) {
    if (cause instanceof FileRefused) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new FileRefused(`cannot be read (${code})`, "check the path and its permissions", { cause });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
