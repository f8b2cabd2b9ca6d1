import { isJsonObject, ownValue, type JsonObject, type JsonValue } from "../../contract/json.js";
import { MAX_OUTPUT_DEPTH } from "../../contract/plain-json.js";
import type { Usage } from "../../log/events.js";
import { parseJson } from "../../log/parse-json.js";
import { failureIn } from "./anthropic-failure.js";
import type { ModelDelta } from "./model-executor.js";
import { ModelFailure } from "./model-failure.js";

type Growing = Record<string, JsonValue>;

/** Puts a message together from the events of a stream, so that it is the message that one piece would have brought. */
export class MessageBuilder {
  #message: Growing | undefined;
  readonly #blocks: Growing[] = [];
  /** The text of a block's input, which comes in pieces that are no JSON by themselves. */
  readonly #inputs = new Map<number, string>();
  #stopped = false;

  /**
   * Takes an event.
   *
   * @returns what the model said with it, if anything.
   * @throws {@link ModelFailure} when the provider broke off, or the event is not one of a message.
   */
  add(event: JsonValue): ModelDelta | undefined {
    const failure = failureIn(event);
    if (failure !== undefined) throw failure;
    if (!isJsonObject(event)) throw malformed("an event that is no object");
    switch (ownValue(event, "type")) {
      case "message_start":
        return this.#start(objectIn(event, "message"));
      case "content_block_start":
        this.#startBlock(event);
        return undefined;
      case "content_block_delta":
        return this.#grow(indexIn(event), objectIn(event, "delta"));
      case "content_block_stop":
        this.#endBlock(indexIn(event));
        return undefined;
      case "message_delta":
        return this.#change(event);
      case "message_stop":
        this.#stopped = true;
        return undefined;
      default:
        // A ping, or an event that is newer than this code and says nothing about the message.
        return undefined;
    }
  }

  /** @throws {@link ModelFailure} when the message has not ended. */
  finish(): JsonObject {
    if (this.#message === undefined || !this.#stopped)
      throw new ModelFailure("the provider's answer broke off");
    return { ...this.#message, content: this.#blocks };
  }

  #start(message: JsonObject): ModelDelta | undefined {
    if (this.#message !== undefined) throw malformed("a second message_start");
    this.#message = { ...message };
    return countsOf(this.#message);
  }

  #startBlock(event: JsonObject): void {
    if (indexIn(event) !== this.#blocks.length) throw malformed("a content block out of order");
    this.#blocks.push({ ...objectIn(event, "content_block") });
  }

  #grow(index: number, delta: JsonObject): ModelDelta | undefined {
    const block = this.#block(index);
    const type = ownValue(delta, "type");
    for (const [name, value] of Object.entries(delta)) {
      if (name === "type") continue;
      if (name === "partial_json") this.#inputs.set(index, (this.#inputs.get(index) ?? "") + textOf(value));
      else if (name === "citation") block["citations"] = [...listOf(ownValue(block, "citations")), value];
      else if (name === "signature" || typeof value !== "string") block[name] = value;
      else block[name] = textOf(ownValue(block, name) ?? "") + value;
    }
    if (type === "text_delta") return { type, text: textOf(ownValue(delta, "text")) };
    if (type === "thinking_delta") return { type, thinking: textOf(ownValue(delta, "thinking")) };
    return undefined;
  }

  #endBlock(index: number): void {
    const input = this.#inputs.get(index);
    if (input === undefined || input === "") return;
    this.#block(index)["input"] = parseJson(input, { maxDepth: MAX_OUTPUT_DEPTH });
  }

  /** What is known only at the end: why it ended, and the counts, of which those that do not apply are left out. */
  #change(event: JsonObject): ModelDelta | undefined {
    const message = this.#message;
    if (message === undefined) throw malformed("a message_delta before message_start");
    overwrite(message, objectIn(event, "delta"));
    const usage = { ...objectIn(message, "usage") };
    overwrite(usage, objectIn(event, "usage"));
    message["usage"] = usage;
    return countsOf(message);
  }

  #block(index: number): Growing {
    const block = this.#blocks[index];
    if (block === undefined) throw malformed("a piece of a content block that has not begun");
    return block;
  }
}

/**
 * What a message cost: what the provider counts as input and output. Tokens that were read from or written to its cache
 * are counted apart by it, and stand in the message.
 *
 * @throws {@link ModelFailure} when it does not say.
 */
export function usageOf(message: JsonValue): Usage {
  const counts = isJsonObject(message) ? countsOf(message) : undefined;
  if (counts === undefined) throw malformed("no usage");
  const { input_tokens, output_tokens } = counts;
  return { input_tokens, output_tokens };
}

function countsOf(message: JsonObject): Extract<ModelDelta, { readonly type: "usage" }> | undefined {
  const usage = ownValue(message, "usage");
  if (!isJsonObject(usage)) return undefined;
  const [input_tokens, output_tokens] = [ownValue(usage, "input_tokens"), ownValue(usage, "output_tokens")];
  if (typeof input_tokens !== "number" || typeof output_tokens !== "number") return undefined;
  return { type: "usage", input_tokens, output_tokens };
}

/** Puts members in place of those that are there; one without a value says nothing about a member that is not there. */
function overwrite(object: Growing, members: JsonObject): void {
  for (const [name, value] of Object.entries(members)) {
    if (value !== null || name === "stop_reason" || name === "stop_sequence") object[name] = value;
  }
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const member = ownValue(object, name);
  if (!isJsonObject(member)) throw malformed(`${name} is no object`);
  return member;
}

function indexIn(event: JsonObject): number {
  const index = ownValue(event, "index");
  if (typeof index !== "number") throw malformed("index is no number");
  return index;
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value !== "string") throw malformed("text that is no string");
  return value;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function malformed(what: string): ModelFailure {
  return new ModelFailure(`the provider's answer is not a message: ${what}`);
}
