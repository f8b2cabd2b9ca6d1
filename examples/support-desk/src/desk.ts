// The desk: an HTTP route as useChat asks it, POST /api/chat. It prints its port.
//   SALVOR_URL=... SALVOR_TOKEN=... node desk.js FOLDER [die]    (die: behind the next payment, for the story's sake)
import { appendFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { convertToModelMessages, stepCountIs, streamText, type UIMessage } from "ai";
import { AiSdkRun } from "salvor/ai-sdk";
import { SalvorClient } from "salvor/client";
import { Ledger } from "./ledger.js";
import { ScriptedModel } from "./scripted-model.js";
import { deskTools } from "./tools.js";

const [, , folder = ".", mode] = process.argv;
const salvor = new SalvorClient({
  url: process.env["SALVOR_URL"] ?? "http://127.0.0.1:8080",
  token: process.env["SALVOR_TOKEN"],
});
const tools = await deskTools(salvor, new Ledger(folder), () => {
  if (mode === "die") process.kill(process.pid, "SIGKILL");
});
const model = new ScriptedModel(() => {
  appendFileSync(join(folder, "asked.txt"), "asked\n");
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages } = (await json(request)) as { readonly messages: UIMessage[] };
  const asked = messages.findLast(({ role }) => role === "user");
  if (asked === undefined) throw new Error("nothing was asked");
  // Each message of the customer is a run: sent again, it goes on with what is recorded.
  const durable = await AiSdkRun.open(salvor, tools, {
    ...{ runId: asked.id, agentDefHash: "support-desk@1", input: { customer: "Bob" } },
  });
  const result = streamText({
    ...{ model: durable.model(model), tools: durable.tools, stopWhen: stepCountIs(10) },
    messages: await convertToModelMessages(messages),
    onError: ({ error }) => {
      console.error(error);
    },
    async onFinish({ text, finishReason }) {
      if (finishReason === "stop") await durable.agentRun.complete(text);
    },
  });
  await result.pipeUIMessageStreamToResponse(response, { originalMessages: messages });
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log((server.address() as AddressInfo).port);
});
