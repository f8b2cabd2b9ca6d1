import { randomUUID } from "node:crypto";
import { stepCountIs } from "ai";
import { AiSdkRun, type AiSdkRunOptions } from "#salvor/adapters/ai-sdk/index.js";
import { SalvorClient, type Fetch } from "#salvor/client/index.js";
import type { EventKind } from "#salvor/log/events.js";
import type { Turn } from "../../support/desk.js";
import { TestServer } from "../../../client/support/server.js";
import { ALL, World, toolsFor } from "../../../client/support/tools.js";
import { ScriptedModel, resultsIn } from "./scripted-model.js";

/** One run on a real server, with a scripted model: what a test opens as often as a program would that starts again. */
export class Fixture {
  readonly runId = randomUUID();
  readonly world = new World();
  readonly model: ScriptedModel;

  private constructor(
    private readonly server: TestServer,
    say: (results: number) => Turn,
  ) {
    this.model = new ScriptedModel((prompt) => say(resultsIn(prompt)));
  }

  static async start(declarations = ALL): Promise<TestServer> {
    return TestServer.start(declarations);
  }

  /** @param say what the model answers behind so many results of tools. */
  static on(server: TestServer, say: (results: number) => Turn): Fixture {
    return new Fixture(server, say);
  }

  client(fetch?: Fetch): SalvorClient {
    return new SalvorClient({ url: this.server.url, retries: 0, ...(fetch && { fetch }) });
  }

  /** A program that starts: with the first of a run, or with what is recorded. */
  async open({ fetch, ...options }: AiSdkRunOptions & { readonly fetch?: Fetch } = {}) {
    const durable = await AiSdkRun.open(this.client(fetch), toolsFor(this.world), {
      ...{ runId: this.runId, agentDefHash: "desk@1", input: null },
      ...options,
    });
    const loop = {
      ...{ model: durable.model(this.model), tools: durable.tools, stopWhen: stepCountIs(9) },
      ...{ maxRetries: 0, onError: () => undefined },
    };
    return { durable, loop };
  }

  /** The results that the model was told last. */
  get told() {
    const last = this.model.prompts.at(-1)?.at(-1);
    if (last?.role !== "tool") throw new Error("the model was told no results");
    return last.content.flatMap((part) => (part.type === "tool-result" ? [part.output] : []));
  }

  /** The kinds of what is recorded, behind the start of the run. */
  async kinds(): Promise<readonly EventKind[]> {
    return (await this.client().log(this.runId, 1)).map(({ event }) => event.kind);
  }
}

/** An answer that asks for calls. */
export function calling(...calls: readonly (readonly [tool: string, id: string])[]): Turn {
  return {
    text: "Let me see. ",
    calls: calls.map(([tool, id]) => ({ id, tool, input: { order_id: id, amount_cents: 500 } })),
  };
}

/** An answer that asks for calls of one tool that are all the same. */
export function callingAlike(tool: string, ...ids: readonly string[]): Turn {
  const input = { order_id: "A-17", amount_cents: 500 };
  return { text: "All of them. ", calls: ids.map((id) => ({ id, tool, input })) };
}

export function saying(text: string): Turn {
  return { text, calls: [] };
}
