import { jsonRpcError, MCP_HEADERS, McpHttp } from "../mcp/server/serve-http.js";
import type { ServedTools } from "../mcp/server/served-tools.js";
import type { Advice } from "../mcp/server/tool-result.js";
import { errorFacts } from "../server/error-facts.js";
import type { ApiError, AppState, Mounted } from "../server/index.js";
import { readJudgedBody } from "../server/layers/body.js";

/** Where MCP clients find the tools. */
export const MCP_PATH = "/mcp";

/** JSON-RPC's own codes for what is wrong with a message; everything else is the server's. */
const [PARSE_ERROR, SERVER_ERROR] = [-32700, -32000];

/** The tools over streamable HTTP, behind the layers of the control plane. */
export async function mcpMount(state: AppState, served: ServedTools, advice: Advice): Promise<Mounted> {
  const onError = (error: unknown): void => {
    state.logger?.info({ err: errorFacts(error, state.logPayloads) }, "an MCP exchange went wrong");
  };
  const http = await McpHttp.create(served, { advice, onError });
  return {
    path: MCP_PATH,
    methods: ["GET", "POST", "DELETE"],
    headers: MCP_HEADERS,
    errorBody,
    handle: async (ctx) => {
      const body = ctx.method === "POST" ? await readJudgedBody(ctx) : undefined;
      const mayDecide = state.operatorTokenHash === undefined || ctx.state.operatorPresented;
      ctx.respond = false;
      await http.handle(ctx.req, ctx.res, { body, mayDecide });
    },
    close: async () => {
      await http.close();
      await served.idle();
    },
  };
}

function errorBody({ code, message }: ApiError): string {
  return jsonRpcError(code === "bad_request" ? PARSE_ERROR : SERVER_ERROR, message, { code });
}
