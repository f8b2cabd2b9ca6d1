import type { ClientCapabilities, Server, ServerContext } from "@modelcontextprotocol/server";

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** Whether the client of this request can ask its user to fill in a form. */
export function takesForms(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const said = envelope?.[CAPABILITIES] as ClientCapabilities | undefined;
  const { elicitation } = said ?? server.getClientCapabilities() ?? {};
  if (elicitation === undefined) return false;
  // Without a word on the kind, forms are meant: there was no other kind once.
  return elicitation.form !== undefined || Object.keys(elicitation).length === 0;
}

/** How the client calls itself: in few enough words for a log. */
export function clientName(server: Server): string | undefined {
  const client = server.getClientVersion();
  return client === undefined ? undefined : `${client.name} ${client.version}`.slice(0, 200).toWellFormed();
}
