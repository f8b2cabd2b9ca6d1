import { pathText, type JsonPath } from "./json-path.js";

/** A text that is not acceptable JSON: the message names the place and what is wrong with it. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  readonly code = "json_syntax";
  /** Where, as `$.events[0].seq`; `$` when the text is not JSON at all. */
  readonly path: string;

  constructor(
    path: JsonPath,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(`${pathText(path)}: ${problem}`, options);
    this.path = pathText(path);
  }
}
