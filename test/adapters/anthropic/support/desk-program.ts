import { Anthropic } from "@anthropic-ai/sdk";
import { AnthropicRun, LoopStoppedError } from "#salvor/adapters/anthropic/index.js";
import { declaredTools } from "#salvor/index.js";
import { PROMPT } from "../../support/desk.js";
import { DeskChild } from "../../support/desk-child.js";
import { ScriptedMessages } from "./scripted-messages.js";

/** The desk's script with the Anthropic SDK's tool runner, over its own HTTP client. The other way: streamed. */
await DeskChild.run(async (child) => {
  const { client, handlers, options, setting } = child;
  const api = await ScriptedMessages.start((results) => child.turn(results));
  try {
    const tools = declaredTools(await client.clientTools(), handlers);
    const anthropic = new Anthropic({ apiKey: "none", baseURL: api.url });
    const durable = await AnthropicRun.open(client, tools, { ...options, anthropic });
    const message = await durable.anthropic.beta.messages.toolRunner({
      model: "claude-scripted",
      max_tokens: 1024,
      messages: [{ role: "user", content: PROMPT }],
      tools: [...durable.tools],
      stream: setting.way === 1,
    });
    const output = {
      text: message.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    };
    await durable.agentRun.complete(output);
    return { end: "done", output };
  } catch (error) {
    if (!(error instanceof LoopStoppedError) || error.wait === undefined) throw error;
    return { end: "waiting", seq: error.wait.seq };
  } finally {
    await api.stop();
  }
});
