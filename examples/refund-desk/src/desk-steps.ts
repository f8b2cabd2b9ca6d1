import type { JsonObject } from "salvor";
import {
  CompletionRefusedError,
  NeedsReconciliationError,
  SalvorError,
  type ClientRun,
  type SalvorClient,
} from "salvor/client";
import type { DeskLine, Step } from "./desk-protocol.js";
import type { Payments } from "./payments.js";

type Take<D extends Step["do"]> = Extract<Step, { readonly do: D }>;

/** What a desk can do in its run, and how it tells of it. */
export class DeskSteps {
  readonly #client: SalvorClient;
  readonly #run: ClientRun;
  readonly #payments: Payments;
  readonly #say: (line: DeskLine) => void;

  constructor(client: SalvorClient, run: ClientRun, payments: Payments, say: (line: DeskLine) => void) {
    this.#client = client;
    this.#run = run;
    this.#payments = payments;
    this.#say = say;
  }

  /** Takes one step; what Salvor refuses is told, and is no reason to stop. */
  async take(step: Take<"perform" | "refund_by_hand" | "settle_myself">): Promise<void> {
    try {
      if (step.do === "perform") await this.#perform(step);
      else if (step.do === "refund_by_hand") await this.#refundByHand(step);
      else await this.#settle(step);
    } catch (error) {
      if (!(error instanceof SalvorError)) throw error;
      this.#say(refusal(error));
    }
  }

  async #perform({ tool, input }: Pick<Take<"perform">, "tool" | "input">): Promise<void> {
    const output = await this.#run.perform(tool, input);
    this.#say({ at: "performed", tool, output });
  }

  /** What a program does that speaks the wire itself: here nothing but the server stands between a wrong report and the log. */
  async #refundByHand({ input, claim }: Take<"refund_by_hand">): Promise<void> {
    const tool = "refund_card";
    const seq = this.#run.position;
    const asked = { order_id: input.order_id, amount_cents: input.amount_cents };
    const { idempotency_key: key } = await this.#client.toolIntent(this.#drive, { seq, tool, input: asked });
    if (key === null) throw new Error(`the server derived no key for call ${seq}`);
    const { refund_id, amount_cents } = await this.#payments.refund(input, { idempotencyKey: key });
    const receipt = { refund_id, amount_cents };
    try {
      await this.#client.toolCompletion(this.#drive, seq, { output: claimed(receipt, claim) });
    } catch (error) {
      if (!(error instanceof CompletionRefusedError)) throw error;
      this.#say(refusal(error.under(key)));
    }
    await this.#run.report(seq, receipt);
    await this.#perform({ tool, input: asked });
  }

  async #settle({ at, output }: Take<"settle_myself">): Promise<void> {
    const decision = { seq: this.#run.position, output };
    if (at === "/v1/runs") await this.#client.resolve(this.#run.runId, decision);
    else await this.#client.resolveClientRun(this.#drive, decision);
    this.#say({ at: "settled" });
  }

  get #drive() {
    return { run: this.#run.runId, driveToken: this.#run.driveToken };
  }
}

function claimed(receipt: JsonObject, claim: Take<"refund_by_hand">["claim"]): JsonObject {
  return Object.fromEntries(Object.entries({ ...receipt, ...claim }).filter(([, value]) => value !== null));
}

function refusal(error: SalvorError): DeskLine {
  const { name, code, status, message } = error;
  const key = keyOf(error);
  return {
    at: "refused",
    error: name,
    code,
    message,
    ...(status !== undefined && { status }),
    ...(typeof key === "string" && { key }),
  };
}

function keyOf(error: SalvorError): string | null | undefined {
  if (error instanceof CompletionRefusedError) return error.idempotencyKey;
  if (error instanceof NeedsReconciliationError) return error.intent?.idempotency_key;
  return undefined;
}
