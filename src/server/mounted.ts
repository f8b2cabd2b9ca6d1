import type { ApiError } from "./api-error.js";
import type { AppContext } from "./context.js";

/**
 * What a host serves beside the control plane, under one path and behind the same layers: who may ask, from which pages, and
 * how much, is judged as for everything else.
 */
export interface Mounted {
  readonly path: string;
  readonly methods: readonly string[];
  /** Answers a request, on `ctx.res` itself if it sets `ctx.respond` to false. */
  readonly handle: (ctx: AppContext) => Promise<void>;
  /** The body of an answer to that path that is not a success. */
  readonly errorBody: (error: ApiError) => string;
  /** Headers that a page of another origin may send, and see, besides those of the control plane. */
  readonly headers: { readonly sent: readonly string[]; readonly shown: readonly string[] };
  /** Ends what is still open, once no call is performed any more. */
  readonly close: () => Promise<void>;
}
