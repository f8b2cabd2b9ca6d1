import type { LanguageModelMiddleware } from "ai";

// What `ai` says of a model, without a further package that a program would have to install.
type WrapOptions = Parameters<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>[0];

/** A language model of the AI SDK, as a provider's package makes one. */
export type LanguageModelV3 = WrapOptions["model"];

/** What a model is asked. */
export type ModelParams = WrapOptions["params"];

/** What a model answered. */
export type ModelResult = Awaited<ReturnType<WrapOptions["doGenerate"]>>;

/** A piece of such an answer. */
export type ModelContent = ModelResult["content"][number];

/** What a model answers while it still answers. */
export type ModelStream = Awaited<ReturnType<WrapOptions["doStream"]>>;

/** A piece of such a stream. */
export type StreamPart = ModelStream["stream"] extends ReadableStream<infer Part> ? Part : never;
