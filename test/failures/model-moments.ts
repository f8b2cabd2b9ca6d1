import assert from "node:assert/strict";
import { TransportError, type ClientRun, type ModelReply } from "#salvor/client/index.js";
import type { CuttingProxy } from "../client/support/proxy.js";

/** A program that asks its model once. */
export interface ModelProgram {
  readonly proxy: CuttingProxy;
  /** @param died whether the process dies while the model is asked. */
  readonly ask: (run: ClientRun, died?: boolean) => Promise<ModelReply>;
}

/** Each moment at which something fails around a call of a model, by the name of its row in docs/failures.md. */
export const MODEL_MOMENTS: Readonly<
  Record<string, (program: ModelProgram, run: ClientRun) => Promise<void>>
> = {
  "a client that dies while its model is asked": async ({ ask }, run) => {
    await assert.rejects(ask(run, true), TransportError);
  },

  "a model's answer that does not arrive at the server": async ({ proxy, ask }, run) => {
    proxy.harm("-model-completion", "request lost");
    await assert.rejects(ask(run), TransportError);
  },

  "a client that dies after its model's answer was recorded": async ({ proxy, ask }, run) => {
    proxy.harm("-model-completion", "answer lost");
    await assert.rejects(ask(run), TransportError);
  },
};
