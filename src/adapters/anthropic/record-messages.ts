import type { Middleware, MiddlewareNext } from "@anthropic-ai/sdk/core/middleware";
import { SalvorError, type AgentRun, type ModelReply } from "../../client/index.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../contract/json.js";
import { asRecorded } from "./as-recorded.js";
import { LoopStoppedError } from "./loop-stopped-error.js";
import { eventsOf, frameOf } from "./message-events.js";
import { answeredBy, bodyOf, messagesRequestOf, type MessagesRequest } from "./messages-request.js";
import { changesTheRequest, refusalOf, replyOf, replyOfRefusal } from "./recorded-answer.js";
import type { Stops } from "./stops.js";
import { StreamedAnswer } from "./streamed-answer.js";

type Sent = Parameters<MiddlewareNext>[0];

/**
 * Middleware of the SDK that records each request for a message and its answer, and answers from the log what is recorded. Requests
 * for anything else go through. What is told of calls is told as it is recorded. One that the provider refuses is not recorded: the SDK deals with it, and may send it again.
 */
export function recordMessages(agent: AgentRun, stops: Stops): Middleware {
  return async (request, next) => {
    const given = messagesRequestOf(request);
    if (given === undefined) return next(request);
    const asked = await asRecorded(agent, stops, given, request.signal ?? undefined);
    const sent = asked === given ? request : { ...request, body: bodyOf(asked) };
    return asked.isStreamed ? streamed(agent, asked, sent, next) : whole(agent, asked, sent, next);
  };
}

async function whole(
  agent: AgentRun,
  asked: MessagesRequest,
  request: Sent,
  next: MiddlewareNext,
): Promise<Response> {
  let live: Response | undefined;
  try {
    const { response } = await model(agent, asked, request, async () => {
      live = await next(request);
      return (await refusedReply(live)) ?? replyOf((await live.clone().json()) as JsonObject);
    });
    return answerOf(response, asked, live);
  } catch (error) {
    if (error instanceof NotRecorded) return error.response;
    throw error;
  }
}

/** Resolves when there is something to read: live, before the answer is whole. */
function streamed(
  agent: AgentRun,
  asked: MessagesRequest,
  request: Sent,
  next: MiddlewareNext,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    let answer: StreamedAnswer | undefined;
    model(agent, asked, request, async () => {
      const live = await next(request);
      const refused = await refusedReply(live);
      if (refused !== undefined) return refused;
      answer = new StreamedAnswer(live);
      resolve(answer.response);
      return replyOf(await answer.message());
    }).then(
      ({ response }) => {
        if (answer === undefined) resolve(answerOf(response, asked));
        else answer.close();
      },
      (error: unknown) => {
        if (error instanceof NotRecorded) resolve(error.response);
        else if (answer === undefined) reject(error instanceof Error ? error : new Error(String(error)));
        else answer.fail(error);
      },
    );
  });
}

async function model(
  agent: AgentRun,
  request: MessagesRequest,
  { signal }: Sent,
  call: () => Promise<ModelReply>,
): Promise<ModelReply> {
  try {
    const answered = answeredBy(request);
    return await agent.model(request.asked, call, { answered, signal: signal ?? undefined });
  } catch (error) {
    throw error instanceof SalvorError ? new LoopStoppedError(error) : error;
  }
}

/** An answer that is no message: it goes to the SDK as it came. */
class NotRecorded extends Error {
  constructor(readonly response: Response) {
    super(`the provider answered ${response.status}`);
  }
}

/** A refusal because of which the SDK asks otherwise. Any other ends the call, without a record of it. */
async function refusedReply(response: Response): Promise<ModelReply | undefined> {
  if (response.ok) return undefined;
  const body = await jsonBodyOf(response);
  if (!isJsonObject(body) || !changesTheRequest(body)) throw new NotRecorded(response);
  return replyOfRefusal({ status: response.status, body });
}

async function jsonBodyOf(response: Response): Promise<JsonValue | undefined> {
  try {
    return (await response.clone().json()) as JsonValue;
  } catch {
    return undefined;
  }
}

/** What the SDK reads, made of the recorded answer. */
function answerOf(recorded: JsonValue, { isStreamed }: MessagesRequest, live?: Response): Response {
  const headers = new Headers(live?.headers);
  headers.delete("content-length");
  headers.delete("content-encoding");
  const refusal = refusalOf(recorded);
  if (refusal === undefined && isStreamed) {
    headers.set("content-type", "text/event-stream");
    return new Response(
      eventsOf(recorded as JsonObject)
        .map(frameOf)
        .join(""),
      { headers },
    );
  }
  headers.set("content-type", "application/json");
  const { status = 200, body = recorded } = refusal ?? {};
  return new Response(JSON.stringify(body), { status, headers });
}
