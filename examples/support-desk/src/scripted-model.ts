import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";

/** A model that needs no network: it looks the order up that the customer names, refunds what the customer asks for, and says so. */
export class ScriptedModel implements LanguageModelV3 {
  readonly specificationVersion = "v3";
  readonly provider = "scripted";
  readonly modelId = "support-desk";
  readonly supportedUrls = {};

  /** @param onAsked is told each time that it is asked. */
  constructor(private readonly onAsked: () => void) {}

  doGenerate({ prompt }: LanguageModelV3CallOptions): Promise<LanguageModelV3GenerateResult> {
    this.onAsked();
    const content = answerTo(prompt);
    const isDone = content.every(({ type }) => type === "text");
    return Promise.resolve({
      content,
      finishReason: { unified: isDone ? "stop" : "tool-calls", raw: undefined },
      usage: {
        inputTokens: { total: 100, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 20, text: undefined, reasoning: undefined },
      },
      warnings: [],
    });
  }

  async doStream(
    options: LanguageModelV3CallOptions,
  ): Promise<{ stream: ReadableStream<LanguageModelV3StreamPart> }> {
    const { content, finishReason, usage, warnings } = await this.doGenerate(options);
    const parts: readonly LanguageModelV3StreamPart[] = [
      { type: "stream-start", warnings },
      ...content.flatMap(wordByWord),
      { type: "finish", finishReason, usage },
    ];
    return {
      stream: new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      }),
    };
  }
}

function answerTo(prompt: LanguageModelV3Prompt): LanguageModelV3Content[] {
  const at = prompt.findLastIndex(({ role }) => role === "user");
  const asked = JSON.stringify(prompt[at]?.content);
  const results = prompt.slice(at).flatMap((message) => (message.role === "tool" ? message.content : []));
  const order_id = /order (\w+-\d+)/.exec(asked)?.[1] ?? "";
  const amount_cents = Number(/(\d+) euros/.exec(asked)?.[1] ?? 0) * 100;
  if (results.length === 0) return [calling(`find ${order_id}`, "find_order", { order_id })];
  if (results.length === 1) {
    return [
      { type: "text", text: "I found your order. " },
      calling(`refund ${order_id}`, "refund_card", { order_id, amount_cents }),
    ];
  }
  const refund = JSON.stringify(results.at(-1));
  return [{ type: "text", text: `Your money is on its way: ${/re_\w+/.exec(refund)?.[0] ?? "it is not"}.` }];
}

function calling(toolCallId: string, toolName: string, input: object): LanguageModelV3Content {
  return { type: "tool-call", toolCallId, toolName, input: JSON.stringify(input) };
}

function wordByWord(part: LanguageModelV3Content): readonly LanguageModelV3StreamPart[] {
  if (part.type === "tool-call") return [part];
  if (part.type !== "text") return [];
  const id = "words";
  return [
    { type: "text-start", id },
    ...part.text.split(/(?<= )/).map((delta) => ({ type: "text-delta" as const, id, delta })),
    { type: "text-end", id },
  ];
}
