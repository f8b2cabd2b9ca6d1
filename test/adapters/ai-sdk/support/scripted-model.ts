import { simulateReadableStream, type LanguageModelMiddleware } from "ai";
import type { Turn } from "../../support/desk.js";

type Wrapped = Parameters<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>[0];
type Model = Wrapped["model"];
type Prompt = Wrapped["params"]["prompt"];
type Answer = Awaited<ReturnType<Model["doGenerate"]>>;
type Part = Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;

/** A language model of the AI SDK that says what a script says, at once or piece by piece. */
export class ScriptedModel implements Model {
  readonly specificationVersion = "v3";
  readonly provider = "scripted";
  readonly modelId = "scripted-1";
  readonly supportedUrls = {};
  /** What it was asked, in order. */
  readonly prompts: Prompt[] = [];

  /** @param say what it answers to a prompt. Where it throws, the model fails. */
  constructor(private readonly say: (prompt: Prompt) => Turn) {}

  doGenerate(params: Wrapped["params"]): Promise<Answer> {
    this.prompts.push(params.prompt);
    return Promise.resolve().then(() => answerOf(this.say(params.prompt)));
  }

  async doStream(params: Wrapped["params"]): Promise<{ stream: ReadableStream<Part> }> {
    const answer = await this.doGenerate(params);
    return {
      stream: simulateReadableStream({
        chunks: piecesOf(answer),
        chunkDelayInMs: null,
        initialDelayInMs: null,
      }),
    };
  }
}

/** How many results of tools a prompt carries behind its last words of a user. */
export function resultsIn(prompt: Prompt): number {
  const behind = prompt.slice(prompt.findLastIndex(({ role }) => role === "user"));
  return behind.reduce((sum, message) => sum + (message.role === "tool" ? message.content.length : 0), 0);
}

export function answerOf({ text, calls }: Turn): Answer {
  return {
    content: [
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls.map(({ id, tool, input }) => {
        return { type: "tool-call" as const, toolCallId: id, toolName: tool, input: JSON.stringify(input) };
      }),
    ],
    finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined },
    usage: {
      inputTokens: { total: 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 5, text: undefined, reasoning: undefined },
    },
    warnings: [],
    response: {
      id: `answer to ${calls.length}`,
      modelId: "scripted-1",
      timestamp: new Date("2026-01-01T00:00:00Z"),
    },
  };
}

export function piecesOf({ content, finishReason, usage, warnings, response }: Answer): Part[] {
  return [
    { type: "stream-start", warnings },
    { type: "response-metadata", ...response },
    ...content.flatMap((part, at): Part[] => {
      const id = String(at);
      if (part.type === "text") {
        const words = part.text.split(/(?<= )/);
        return [
          { type: "text-start", id },
          ...words.map((delta) => ({ type: "text-delta" as const, id, delta })),
          { type: "text-end", id },
        ];
      }
      if (part.type === "reasoning") return [];
      if (part.type !== "tool-call") return [part];
      const { toolCallId, toolName, input } = part;
      return [
        { type: "tool-input-start", id: toolCallId, toolName },
        { type: "tool-input-delta", id: toolCallId, delta: input },
        { type: "tool-input-end", id: toolCallId },
        part,
      ];
    }),
    { type: "finish", finishReason, usage },
  ];
}
