import type { IncomingMessage } from "node:http";
import { PassThrough, pipeline, type Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import type { JsonValue } from "../../contract/json.js";
import { JsonSyntaxError } from "../../log/json-syntax-error.js";
import { JsonReading, type ParseOptions } from "../../log/parse-json.js";
import { ApiError } from "../api-error.js";
import type { AppContext } from "../context.js";

/** The largest body that is read, in bytes, after decompression. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** How much of a body that is too large is still taken in, so that its sender gets to read the answer. */
const MAX_DRAINED_BYTES = 8 * MAX_BODY_BYTES;

/** How many characters of a body are looked at before other requests get their turn. */
const PIECE = 128 * 1024;

/** The most values in a body whose content a schema judges: no judge takes as many, so more need not be taken apart. */
export const MAX_JUDGED_VALUES = 100_000;

/**
 * Reads the request's body as JSON.
 *
 * @throws ApiError `payload_too_large` or `bad_request`.
 */
export async function readJsonBody(ctx: AppContext, options?: ParseOptions): Promise<JsonValue> {
  const bytes = await readBody(ctx);
  try {
    const reading = new JsonReading(bytes, options);
    while (!reading.advance(PIECE)) await nextTurn();
    const value = reading.finish();
    ctx.state.received = value;
    return value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new ApiError("bad_request", `the request body is not acceptable JSON: ${error.message}`, {
      cause: error,
    });
  }
}

/** Reads a body whose content a schema will judge. */
export function readJudgedBody(ctx: AppContext): Promise<JsonValue> {
  return readJsonBody(ctx, { maxValues: MAX_JUDGED_VALUES });
}

async function readBody(ctx: AppContext): Promise<Buffer> {
  const { chunks, size } = await readChunks(decoded(ctx.req));
  if (size > MAX_DRAINED_BYTES) ctx.set("Connection", "close");
  if (size > MAX_BODY_BYTES) {
    throw new ApiError("payload_too_large", `the request body is larger than ${MAX_BODY_BYTES} bytes`);
  }
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

/**
 * What a stream holds, as far as it is not larger than a body may be, and how large it is, as far as it was read. An async
 * iterator would say the same: for a small body it costs more than everything else that is done with one.
 */
function readChunks(
  stream: Readable,
): Promise<{ readonly chunks: readonly Buffer[]; readonly size: number }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const failed = (cause?: unknown): void => {
      reject(
        new ApiError(
          "bad_request",
          "the request body could not be read: it ended early or is not what it says",
          { cause },
        ),
      );
    };
    // Of what is gone already nothing more is heard.
    if (stream.destroyed) failed(stream.errored);
    stream.on("error", failed);
    stream.on("close", failed);
    const done = (): void => {
      stream.removeListener("close", failed);
      resolve({ chunks, size });
    };
    stream.on("end", done);
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else chunks.length = 0;
      if (size <= MAX_DRAINED_BYTES) return;
      stream.pause();
      done();
    });
  });
}

function decoded(request: IncomingMessage): Readable {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return request;
  const decoder = decoderFor(encoding);
  if (decoder === undefined) {
    throw new ApiError(
      "bad_request",
      `the content encoding ${JSON.stringify(encoding)} is not gzip, deflate or br`,
    );
  }
  // A broken stream reaches the reader as an error of the last stream; there is nothing else to do about it.
  return pipeline(request, decoder, new PassThrough(), () => undefined);
}

function decoderFor(encoding: string) {
  if (encoding === "gzip" || encoding === "x-gzip" || encoding === "deflate") return createUnzip();
  return encoding === "br" ? createBrotliDecompress() : undefined;
}
