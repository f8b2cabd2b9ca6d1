import type { DeclaredClientTool, HostedTool } from "../../client/answers.js";

/** A tool that this server knows: one that its operator declared for clients to perform, or one that it performs itself. */
export type KnownTool =
  | (DeclaredClientTool & { readonly performer: "client" })
  | (HostedTool & {
      readonly performer: "server";
      readonly title?: undefined;
      readonly require_equal?: undefined;
      readonly idempotency_key?: undefined;
    });

export type KnownTools = ReadonlyMap<string, KnownTool>;

/** Whether no client's word closes a call of this tool. */
export function isPersonsToClose(tool: KnownTool): boolean {
  return tool.performer === "client" && (tool.output_schema === undefined || !tool.trust_completion);
}
