import type { ClientCapabilities, Implementation, ServerContext } from "@modelcontextprotocol/server";
import type { LowLevelServer } from "./sdk.js";

const PREFIX = "io.modelcontextprotocol/";

/** Whether the client of this request can ask its user to fill in a form. */
export function takesForms(server: LowLevelServer, ctx: ServerContext): boolean {
  const said = envelopeOf(ctx)?.[`${PREFIX}clientCapabilities`] as ClientCapabilities | undefined;
  // A client of an older revision has said it once, for the whole connection.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const { elicitation } = said ?? server.getClientCapabilities() ?? {};
  if (elicitation === undefined) return false;
  // Without a word on the kind, forms are meant: there was no other kind once.
  return elicitation.form !== undefined || Object.keys(elicitation).length === 0;
}

/** How the client calls itself: in few enough words for a log. */
export function clientName(server: LowLevelServer, ctx: ServerContext): string | undefined {
  const said = envelopeOf(ctx)?.[`${PREFIX}clientInfo`] as Implementation | undefined;
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const client = said ?? server.getClientVersion();
  return client === undefined ? undefined : `${client.name} ${client.version}`.slice(0, 200).toWellFormed();
}

function envelopeOf({ mcpReq }: ServerContext): Readonly<Record<string, unknown>> | undefined {
  return mcpReq.envelope;
}
