import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What the operator of the tests declared: a payout that a person closes, a transfer with nothing pinned, a refund, and a shipment with everything in it. */
const FILES: Readonly<Record<string, string>> = {
  "bank-payout.toml": `name = "bank_payout"
description = "Pay out to a merchant's bank account."
effect = "write"
trust_completion = false
require_equal = ["amount_cents"]
[input_schema]
type = "object"
required = ["merchant_id", "amount_cents"]
properties.merchant_id = { type = "string", minLength = 1 }
properties.amount_cents = { type = "integer", minimum = 1 }
properties.note = { type = "string" }
[output_schema]
type = "object"
additionalProperties = false
required = ["payout_id", "amount_cents"]
properties.payout_id = { type = "string", pattern = "^po_[0-9]+$", description = "The provider's id." }
properties.amount_cents = { type = "integer", minimum = 1 }
properties.fee_cents = { type = "integer", minimum = 0 }
`,
  "bank-transfer.toml": `name = "bank_transfer"
description = "Transfer money from one of our accounts to another."
effect = "write"
trust_completion = false
[input_schema]
type = "object"
required = ["account", "amount_cents"]
properties.account = { type = "string" }
properties.amount_cents = { type = "integer", minimum = 1 }
[output_schema]
type = "object"
required = ["transfer_id", "amount_cents"]
properties.transfer_id = { type = "string", minLength = 1 }
properties.amount_cents = { type = "integer", minimum = 1 }
properties.fee_cents = { type = "number", minimum = 0 }
properties.rate = { type = "number" }
`,
  "refund-card.toml": `name = "refund_card"
description = "Refund a paid order to the card that paid it."
effect = "write"
trust_completion = true
require_equal = ["amount_cents"]
idempotency_key = ["order_id", "amount_cents"]
[input_schema]
type = "object"
required = ["order_id", "amount_cents"]
properties.order_id = { type = "string" }
properties.amount_cents = { type = "integer", minimum = 1 }
[output_schema]
type = "object"
required = ["refund_id", "amount_cents"]
properties.refund_id = { type = "string", minLength = 1 }
properties.amount_cents = { type = "integer" }
`,
  "ship-order.toml": `name = "ship_order"
description = "Hand an order over to a carrier."
effect = "write"
trust_completion = false
[input_schema]
type = "object"
required = ["order_id"]
properties.order_id = { type = "string" }
[output_schema]
type = "object"
additionalProperties = false
required = ["carrier", "parcels", "delivery"]
properties.carrier = { enum = ["dhl", "ups"] }
properties.insured = { type = "boolean" }
properties.shipped_at = { type = "string", format = "date-time" }
properties.parcels = { type = "array", minItems = 1, items = { type = "object", required = ["weight_kg"], properties = { weight_kg = { type = "number", exclusiveMinimum = 0, maximum = 40 }, note = { type = "string" } } } }
[output_schema.properties.delivery]
oneOf = [
  { title = "to a door", type = "object", additionalProperties = false, required = ["kind", "street"], properties = { kind = { const = "door" }, street = { type = "string" } } },
  { title = "to a locker", type = "object", additionalProperties = false, required = ["kind", "locker"], properties = { kind = { const = "locker" }, locker = { type = "integer", minimum = 1 } } },
]
`,
  "look-up.toml": `name = "look_up_order"
title = "Order lookup"
effect = "read"
trust_completion = true
[input_schema]
type = "object"
required = ["order_id"]
properties.order_id = { type = "string" }
[output_schema]
type = "object"
properties.status = { type = "string" }
`,
};

/** Writes the declarations to a folder of this one; answers it. */
export async function writeDeclarations(folder: string): Promise<string> {
  const declarations = join(folder, "declarations");
  await mkdir(declarations);
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(declarations, name), text);
  return declarations;
}
