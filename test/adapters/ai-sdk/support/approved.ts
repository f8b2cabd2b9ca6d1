import type { ModelMessage } from "ai";

/** Messages that end in requests for approval, with each of them granted. */
export function approved(messages: readonly ModelMessage[]): ModelMessage[] {
  const requests = messages.flatMap(({ role, content }) =>
    role === "assistant" && typeof content !== "string"
      ? content.flatMap((part) => (part.type === "tool-approval-request" ? [part.approvalId] : []))
      : [],
  );
  const content = requests.map((approvalId) => {
    return { type: "tool-approval-response" as const, approvalId, approved: true };
  });
  return [...messages, { role: "tool", content }];
}
