import type { Context } from "koa";
import type { JsonObject } from "../contract/json.js";
import { RUN_STATES } from "../log/fold.js";
import { ApiError } from "./api-error.js";
import { queryCount, queryParameter } from "./context.js";

/** A query parameter: how it is described, and how it is read. */
export interface Parameter<T> {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  /**
   * What the request says, or `undefined` when it says nothing.
   *
   * @throws ApiError `bad_request` naming the parameter, also when it is given more than once.
   */
  read(ctx: Context): T | undefined;
}

/** Which runs a list may show. */
export const GROUPS = ["waiting", "progress", "terminal"] as const;

/** In which order a list may be. */
export const ORDERS = ["oldest", "newest"] as const;

export const FROM_SEQ = count(
  "from_seq",
  0,
  "The first position that is wanted; it may lie ahead of the log.",
);
export const LIMIT = count("limit", 1, "At most so many runs; all of them when absent.");
export const STATUS = choice("status", RUN_STATES, "Only runs in this state.");
export const GROUP = choice("group", GROUPS, "Only runs of this group.");
export const AFTER = words("after", "The `next` of the page before.");
export const ORDER = choice("order", ORDERS, "Which runs come first: the oldest unless given.");
export const TOOL = words("tool", "Only runs with an open call of this tool.");
export const LABEL = words(
  "label",
  "Only runs with this label, as key=value; or with this key, whatever its value.",
);
export const FOLLOW = flag("follow", "Stay until the run ends.");
export const STREAM = flag("stream", "Answer as a stream; otherwise the Accept header says.");

function count(name: string, minimum: number, description: string): Parameter<number> {
  return {
    name,
    description,
    schema: { type: "integer", minimum },
    read: (ctx) => queryCount(ctx, name, minimum),
  };
}

function words(name: string, description: string): Parameter<string> {
  return { name, description, schema: { type: "string" }, read: (ctx) => queryParameter(ctx, name) };
}

function choice<T extends string>(name: string, values: readonly T[], description: string): Parameter<T> {
  return {
    name,
    description,
    schema: { type: "string", enum: values },
    read(ctx) {
      const raw = queryParameter(ctx, name);
      const value = values.find((known) => known === raw);
      if (raw === undefined || value !== undefined) return value;
      throw new ApiError(
        "bad_request",
        `the query parameter ${name} is ${JSON.stringify(raw)}; it takes ${values.join(", ")}`,
      );
    },
  };
}

function flag(name: string, description: string): Parameter<boolean> {
  return {
    name,
    description,
    schema: { type: "string", enum: ["0", "1", "false", "true"] },
    read(ctx) {
      const raw = queryParameter(ctx, name);
      if (raw === undefined) return undefined;
      if (raw === "0" || raw === "false") return false;
      if (raw === "1" || raw === "true") return true;
      throw new ApiError(
        "bad_request",
        `the query parameter ${name} is ${JSON.stringify(raw)}; it takes 1 or 0`,
      );
    },
  };
}
