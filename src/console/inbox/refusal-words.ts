import type { RefusedReportAnswer } from "../../client/answers.js";
import { isPersonsToClose, type KnownTool } from "../tools/known-tool.js";

const CHECK = "check it against the provider's books before you believe it.";

/**
 * Why a report was not believed, as a person says it.
 *
 * @param name the tool's, as it may be shown.
 * @param isSettled whether the call has been closed meanwhile, by whomever.
 */
export function refusalWords(
  { code }: Pick<RefusedReportAnswer, "code">,
  name: string,
  tool: KnownTool | undefined,
  isSettled: boolean,
): string {
  const isPersons = tool !== undefined && isPersonsToClose(tool);
  switch (code) {
    case "client_completion_refused":
      return isPersons
        ? `The client says this. Only a person closes ${name}: ${CHECK}`
        : `The client says this, and it is not what was asked for: ${CHECK}`;
    case "bad_request":
      return `The client says this, and it does not look like a result of ${name}. It may have happened all the same: ${CHECK}`;
    case "unknown_tool":
      return `The client says this, and the server does not know ${name} any more: ${CHECK}`;
    default:
      return isSettled
        ? "This was said when the call was settled already."
        : `This was said, and the server did not take its word for it: ${CHECK}`;
  }
}
