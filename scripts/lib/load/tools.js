/** A write with an identity, which its client closes. */
export const CHARGE_CARD = `
name = "charge_card"
effect = "write"
trust_completion = true
require_equal = ["order"]
idempotency_key = ["order"]

[input_schema]
type = "object"
required = ["order"]
[input_schema.properties]
order = { type = "string", maxLength = 64 }
note = { type = "string" }

[output_schema]
type = "object"
required = ["order", "receipt"]
[output_schema.properties]
order = { type = "string", maxLength = 64 }
receipt = { type = "string" }
`;

/** A write that only a person closes. */
export const PAY_OUT = `
name = "pay_out"
effect = "write"

[input_schema]
type = "object"

[output_schema]
type = "object"
`;

/** What the server performs itself. */
export const TOOLS = `
import { HandlerError, Tool, ToolSet } from ${JSON.stringify(new URL("../../../dist/index.js", import.meta.url).href)};
const tools = new ToolSet({ formatVersion: 1, generator: {}, inputs: {}, tools: {} });
function add(name, effect, call) {
  const Handler = class {
    call(ctx, input) {
      return call(ctx, input);
    }
  };
  Tool(effect, { name, description: name })(Handler);
  tools.register(new Handler(), { inputSchema: { type: "object" } });
}
add("look_up", "read", async (ctx, { word }) => ({ word, found: true }));
add("send_letter", "write", async (ctx, { to }) => ({ to, sent: true }));
export default tools;
`;
