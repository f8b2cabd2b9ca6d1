import type { ModelMessage } from "ai";
import type { CarriedAsk } from "../../client/index.js";
import type { JsonValue } from "../../contract/json.js";
import type { ModelParams } from "./model-types.js";

type Message = ModelMessage | ModelParams["prompt"][number];

/** What a message says of calls; the parts of a program's messages and of a prompt are alike in that. */
interface CallPart {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly providerExecuted?: boolean;
  readonly output?: { readonly type: string };
  readonly approvalId?: string;
  readonly approved?: boolean;
}

/** An answer of a model in messages, and what they say of its calls. */
interface HeldTurn {
  readonly parts: readonly CallPart[];
  readonly said: readonly CallPart[];
}

/**
 * The asks of each answer as messages hold them: with inputs that were repaired, and with what was declined or told as an error. What
 * a provider performed itself is not among them.
 */
export function turnsIn(messages: readonly Message[]): readonly (readonly CarriedAsk[])[] {
  return heldIn(messages).map(asksOf);
}

/** The asks of the answer that a call is part of; `undefined` when the messages do not hold that answer yet. */
export function asksBeside(id: string, messages: readonly Message[]): readonly CarriedAsk[] | undefined {
  const last = heldIn(messages).at(-1);
  // An earlier answer may have had a call of that id, and has its result.
  if (last === undefined || resultOf(id, last) !== undefined) return undefined;
  const asks = asksOf(last);
  return asks.some((ask) => ask.id === id) ? asks : undefined;
}

function heldIn(messages: readonly Message[]): readonly HeldTurn[] {
  const turns: { readonly parts: readonly CallPart[]; readonly said: CallPart[] }[] = [];
  for (const message of messages) {
    if (message.role === "assistant") turns.push({ parts: partsOf(message), said: [] });
    else if (message.role === "tool") turns.at(-1)?.said.push(...partsOf(message));
  }
  return turns;
}

function asksOf(turn: HeldTurn): readonly CarriedAsk[] {
  const { parts, said } = turn;
  const requests = new Map(parts.map(({ approvalId, toolCallId }) => [approvalId, toolCallId]));
  const declined = new Set(
    said.flatMap(({ type, approvalId, approved }) =>
      type === "tool-approval-response" && approved === false ? [requests.get(approvalId)] : [],
    ),
  );
  return parts.flatMap(({ type, toolCallId: id, toolName: tool, input, providerExecuted }) => {
    if (type !== "tool-call" || providerExecuted === true || id === undefined || tool === undefined)
      return [];
    const result = resultOf(id, turn);
    const told = toldBy(result) ?? (result === undefined && declined.has(id) ? "denial" : undefined);
    // As the AI SDK parsed it.
    return [{ id, tool, input: input as JsonValue, told }];
  });
}

function resultOf(id: string, { said }: HeldTurn): CallPart | undefined {
  return said.find(({ type, toolCallId }) => type === "tool-result" && toolCallId === id);
}

function toldBy(result: CallPart | undefined): CarriedAsk["told"] {
  const type = result?.output?.type;
  if (type === "execution-denied") return "denial";
  return type === "error-text" || type === "error-json" ? "error" : undefined;
}

function partsOf({ content }: Message): readonly CallPart[] {
  return typeof content === "string" ? [] : content;
}
