import type { ModelContent, ModelResult, StreamPart } from "./model-types.js";

type Block = Extract<ModelContent, { readonly type: "text" | "reasoning" }>;

/** Puts a streamed answer together, as the model would have answered it at once. */
export class StreamedAnswer {
  readonly #content: ModelContent[] = [];
  /** The blocks that are not ended, by kind and id. */
  readonly #open = new Map<string, Block>();
  #answer: Pick<ModelResult, "warnings" | "response"> = { warnings: [] };
  #finish: Extract<StreamPart, { readonly type: "finish" }> | undefined;
  #failure: { readonly error: unknown } | undefined;

  add(part: StreamPart): void {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#begin(part.type === "text-start" ? "text" : "reasoning", part);
        break;
      case "text-delta":
      case "reasoning-delta":
      case "text-end":
      case "reasoning-end":
        this.#goOn(part);
        break;
      case "file":
      case "source":
      case "tool-approval-request":
      case "tool-call":
      case "tool-result":
        this.#content.push(part);
        break;
      case "stream-start":
        this.#answer = { ...this.#answer, warnings: part.warnings };
        break;
      case "response-metadata":
        this.#answer = { ...this.#answer, response: part };
        break;
      case "finish":
        this.#finish = part;
        break;
      case "error":
        this.#failure ??= part;
        break;
      default:
      // What is shown while it comes, and is no part of the answer.
    }
  }

  /** @throws what the model failed with, or that its answer is not complete. */
  get result(): ModelResult {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#finish === undefined)
      throw new Error("the model's stream ended before its answer was complete");
    const { finishReason, usage, providerMetadata } = this.#finish;
    return {
      ...this.#answer,
      ...{ content: this.#content, finishReason, usage },
      ...(providerMetadata && { providerMetadata }),
    };
  }

  #begin(
    type: Block["type"],
    { id, providerMetadata }: Extract<StreamPart, { readonly type: "text-start" | "reasoning-start" }>,
  ): void {
    const block: Block = { type, text: "", ...(providerMetadata && { providerMetadata }) };
    this.#open.set(`${type} ${id}`, block);
    this.#content.push(block);
  }

  #goOn(part: Extract<StreamPart, { readonly type: `${Block["type"]}-${"delta" | "end"}` }>): void {
    const [type, what] = part.type.split("-");
    const block = this.#open.get(`${type} ${part.id}`);
    if (block === undefined) return;
    if ("delta" in part) block.text += part.delta;
    if (part.providerMetadata !== undefined) block.providerMetadata = part.providerMetadata;
    if (what === "end") this.#open.delete(`${type} ${part.id}`);
  }
}

/** A recorded answer as the stream that a model answers with. */
export function streamOf(result: ModelResult): ReadableStream<StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of partsOf(result)) controller.enqueue(part);
      controller.close();
    },
  });
}

function partsOf({
  content,
  warnings,
  response,
  finishReason,
  usage,
  providerMetadata,
}: ModelResult): readonly StreamPart[] {
  return [
    { type: "stream-start", warnings },
    { type: "response-metadata", ...response },
    ...content.flatMap((part, at) => piecesOf(part, String(at))),
    { type: "finish", finishReason, usage, ...(providerMetadata && { providerMetadata }) },
  ];
}

function piecesOf(part: ModelContent, id: string): readonly StreamPart[] {
  if (part.type !== "text" && part.type !== "reasoning") return [part];
  const { type, text, providerMetadata } = part;
  const said = { id, ...(providerMetadata && { providerMetadata }) };
  return [
    { type: `${type}-start`, ...said },
    { type: `${type}-delta`, ...said, delta: text },
    { type: `${type}-end`, ...said },
  ];
}
