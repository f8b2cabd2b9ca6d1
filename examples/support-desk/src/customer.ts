import { randomUUID } from "node:crypto";
import { DefaultChatTransport, isToolUIPart, readUIMessageStream, type UIMessage } from "ai";

/** A customer in a browser: what `useChat` does there, with its transport and its messages, and without a page. */
export class Customer {
  readonly #messages: UIMessage[] = [];

  /** Asks something; answers what the desk said, or `undefined` when it was cut off. */
  async ask(url: string, text: string): Promise<UIMessage | undefined> {
    this.#messages.push({ id: randomUUID(), role: "user", parts: [{ type: "text", text }] });
    return this.send(url);
  }

  /** The id of what was asked last: of its run, too. */
  get asked(): string {
    return this.#messages.findLast(({ role }) => role === "user")?.id ?? "";
  }

  /** Sends the messages again, as `regenerate` does. */
  async send(url: string): Promise<UIMessage | undefined> {
    const last = this.#messages.at(-1);
    const isGoingOn = last?.role === "assistant";
    const transport = new DefaultChatTransport({ api: `${url}/api/chat` });
    let read: UIMessage | undefined;
    try {
      const stream = await transport.sendMessages({
        ...{ chatId: "chat", messages: this.#messages, abortSignal: undefined },
        ...(isGoingOn
          ? { trigger: "submit-message", messageId: last.id }
          : { trigger: "submit-message", messageId: undefined }),
      });
      const message = isGoingOn ? { message: structuredClone(last) } : {};
      for await (const each of readUIMessageStream({ stream, terminateOnError: true, ...message }))
        read = each;
    } catch {
      // The desk died: what it said so far is thrown away, as nobody knows where it would have gone on.
      return undefined;
    }
    if (read === undefined) throw new Error("the desk said nothing");
    this.#messages.splice(isGoingOn ? -1 : this.#messages.length, 1, read);
    return read;
  }

  /** Grants what the desk asked approval for, as `addToolApprovalResponse` does. */
  approve(): void {
    const last = this.#messages.at(-1);
    if (last?.role !== "assistant") throw new Error("the desk said nothing that could be approved");
    const parts = last.parts.map((part) =>
      isToolUIPart(part) && part.state === "approval-requested"
        ? { ...part, state: "approval-responded" as const, approval: { ...part.approval, approved: true } }
        : part,
    );
    this.#messages.splice(-1, 1, { ...last, parts });
  }
}
