/** What a module of tools begins with: `add(name, effect, call, options?)` registers one in `tools`. */
const BEGINNING = `
import { appendFileSync, existsSync, watch } from "node:fs";
import { dirname } from "node:path";
import { HandlerError, Tool, ToolSet } from ${JSON.stringify(import.meta.resolve("salvor"))};

const tools = new ToolSet({ formatVersion: 1, generator: {}, inputs: {}, tools: {} });
function add(name, effect, call, options = {}) {
  const Handler = class {
    call(ctx, input) {
      return call(ctx, input);
    }
  };
  Tool(effect, { name, description: name, ...options })(Handler);
  tools.register(new Handler(), { inputSchema: { type: "object" } });
}
const never = new Promise(() => undefined);
const keepAlive = setInterval(() => undefined, 2 ** 30);
`;

/** An ES module, as a user would have built it, whose default export is a tool set. */
export function toolModule(tools: string, end = "export default tools;"): string {
  return `${BEGINNING}\n${tools}\n${end}\n`;
}
