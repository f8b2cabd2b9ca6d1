import { SalvorClient } from "#salvor/client/index.js";
import { TestServer } from "../../client/support/server.js";
import { ALL, World } from "../../client/support/tools.js";
import type { ScriptedCall, Turn } from "./desk.js";

/** A call of a scripted model. */
export function call(id: string, tool: string, order = 1, amount_cents = 500): ScriptedCall {
  return { id, tool, input: { order_id: `o-${order}`, amount_cents } };
}

export const END: Turn = { text: "Done.", calls: [] };

/** A write and a read in one turn, another write, then words. */
export const TWO_CALLS: readonly Turn[] = [
  { text: "", calls: [call("c1", "pay_out"), call("c2", "find_order")] },
  { text: "", calls: [call("c3", "pay_out", 2)] },
  END,
];

/** What the log of {@link TWO_CALLS} holds. */
export const TWO_CALLS_KINDS: readonly string[] = [
  ...["RunStarted", "ModelCallRequested", "ModelCallCompleted"],
  ...["ToolCallRequested", "ToolCallCompleted", "ToolCallRequested", "ToolCallCompleted"],
  ...["ModelCallRequested", "ModelCallCompleted", "ToolCallRequested", "ToolCallCompleted"],
  ...["ModelCallRequested", "ModelCallCompleted", "RunCompleted"],
];

/** The next answer of a tool: nobody knows what it came to. */
export function breaks(): never {
  throw new Error("the connection broke");
}

/** A server, and a world that tools act on, for one test after another. */
export class WorldDesk {
  world = new World();
  runId: string = crypto.randomUUID();

  protected constructor(readonly server: TestServer) {}

  protected static startServer(): Promise<TestServer> {
    return TestServer.start(ALL);
  }

  get client(): SalvorClient {
    return new SalvorClient({ url: this.server.url, retries: 0 });
  }

  /** What a run is opened with. */
  get options() {
    return { runId: this.runId, agentDefHash: "desk@1", input: null };
  }

  /** Another run, and another world. */
  reset(): void {
    this.world = new World();
    this.runId = crypto.randomUUID();
  }

  async kinds(): Promise<readonly string[]> {
    return (await this.client.log(this.runId)).map(({ event }) => event.kind);
  }

  /** What is recorded, without when. */
  async events(): Promise<readonly unknown[]> {
    return (await this.client.log(this.runId)).map(({ event }) => event);
  }

  /** The tool and the position of each call that reached a tool. */
  performed(): readonly (readonly [string, number | undefined])[] {
    return this.world.attempts.map(({ tool, seq }) => [tool, seq]);
  }
}

/** Events without what differs from run to run. */
export function withoutKeys(events: readonly unknown[]): unknown {
  const text = JSON.stringify(events, (name, value) => (name === "idempotency_key" ? undefined : value));
  return JSON.parse(text);
}
