import type { ModelMessage } from "ai";

/**
 * Messages that end in requests for approval, with each of them answered.
 *
 * @param isGranted whether the one for a call is granted, by the call's id; all are unless given.
 */
export function approved(
  messages: readonly ModelMessage[],
  isGranted: (id: string) => boolean = () => true,
): ModelMessage[] {
  const content = messages.flatMap(({ role, content: parts }) =>
    role === "assistant" && typeof parts !== "string"
      ? parts.flatMap((part) => {
          if (part.type !== "tool-approval-request") return [];
          const { approvalId, toolCallId } = part;
          return [{ type: "tool-approval-response" as const, approvalId, approved: isGranted(toolCallId) }];
        })
      : [],
  );
  return [...messages, { role: "tool", content }];
}
