import { createHash } from "node:crypto";
import {
  isJsonObject,
  ownValue,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "../../contract/json.js";
import { suspend, type SuspendOutcome } from "../../contract/tool-outcome.js";
import { canonicalJson } from "../../log/canonical-json.js";

/**
 * The member that an answer to a server's question stands under: of what a suspended call is resumed with, and of the input of
 * the call that carries it to the server.
 */
export const ANSWER = "__salvor_answer";

/** What a server wants to know before it performs a call (`input_required`). */
export interface InputRequired {
  readonly inputRequests: JsonObject;
  readonly requestState?: string;
}

/** An input, and the answer that it carries on with. */
export interface SplitInput {
  readonly arguments: JsonObject;
  readonly answer?: JsonObject;
}

/** Takes the answer out of an input: the rest is what the server's schema is about. */
export function splitInput(input: JsonValue): SplitInput {
  if (!isJsonObject(input)) return { arguments: {} };
  const answer = ownValue(input, ANSWER);
  if (answer === undefined) return { arguments: input };
  const rest = Object.fromEntries(Object.entries(input).filter(([key]) => key !== ANSWER));
  return { arguments: rest, answer: isJsonObject(answer) ? answer : {} };
}

/** What an answer has to look like that a call may carry. */
export const ANSWER_SCHEMA: JsonObject = {
  type: "object",
  required: ["inputResponses"],
  additionalProperties: false,
  properties: { requestState: { type: "string" }, inputResponses: { type: "object" } },
};

/** Tells calls apart that carry different answers: they are different calls, under keys of their own. */
export function answerDigest(answer: JsonObject): string {
  return createHash("sha256").update(canonicalJson(answer)).digest("hex").slice(0, 16);
}

/**
 * Parks a call until a person has answered what the server wants to know. What is answered holds everything that the next call
 * needs, so that it can be made from the log alone.
 *
 * @throws TypeError when the server asks for something that no person can be asked.
 */
export function suspendFor(server: string, { inputRequests, requestState }: InputRequired): SuspendOutcome {
  const questions = Object.entries(inputRequests).map(([key, request]) => questionOf(key, request));
  const reason = questions.map(({ message }) => message).join("\n");
  const responses: JsonObject = {
    type: "object",
    required: questions.map(({ key }) => key),
    additionalProperties: false,
    properties: Object.fromEntries(questions.map(({ key, schema }) => [key, schema])),
  };
  const answer: JsonObject = {
    type: "object",
    required: ["inputResponses", ...(requestState === undefined ? [] : ["requestState"])],
    additionalProperties: false,
    properties: {
      inputResponses: responses,
      ...(requestState !== undefined && { requestState: { const: requestState } }),
    },
  };
  return suspend(reason === "" ? `${server} wants the call to be made again` : `${server} asks: ${reason}`, {
    type: "object",
    required: [ANSWER],
    additionalProperties: false,
    properties: { [ANSWER]: answer },
  });
}

interface Question {
  readonly key: string;
  readonly message: string;
  readonly schema: JsonSchema;
}

function questionOf(key: string, request: JsonValue): Question {
  const params = isJsonObject(request) ? ownValue(request, "params") : undefined;
  const requested = isJsonObject(params) ? ownValue(params, "requestedSchema") : undefined;
  const isForm = isJsonObject(request) && ownValue(request, "method") === "elicitation/create";
  if (!isForm || !isJsonObject(params) || !isJsonObject(requested)) {
    throw new TypeError(`it asks for ${JSON.stringify(key)}, and not in a form that a person can answer`);
  }
  const message = ownValue(params, "message");
  // A dialect and an id are for a whole schema, and this one becomes a part.
  const content = Object.fromEntries(
    Object.entries(requested).filter(([keyword]) => keyword !== "$schema" && keyword !== "$id"),
  );
  return {
    key,
    message: typeof message === "string" ? message : key,
    schema: {
      anyOf: [
        {
          type: "object",
          required: ["action", "content"],
          additionalProperties: false,
          properties: { action: { const: "accept" }, content },
        },
        {
          type: "object",
          required: ["action"],
          additionalProperties: false,
          properties: { action: { enum: ["decline", "cancel"] } },
        },
      ],
    },
  };
}
