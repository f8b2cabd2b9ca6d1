import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A write that its client may close, with a pinned amount and a declared identity. */
export const REFUND_CARD = `
name = "refund_card"
effect = "write"
trust_completion = true
require_equal = ["amount_cents"]
idempotency_key = ["order_id", "amount_cents"]
description = "Refund a card charge."

[input_schema]
type = "object"
required = ["order_id", "amount_cents"]
[input_schema.properties.order_id]
type = "string"
[input_schema.properties.amount_cents]
type = "integer"

[output_schema]
type = "object"
required = ["refund_id", "amount_cents"]
[output_schema.properties.refund_id]
type = "string"
[output_schema.properties.amount_cents]
type = "integer"
`;

/** A write that only a person closes. */
export const BANK_PAYOUT = `
name = "bank_payout"
effect = "write"

[input_schema]
type = "object"
required = ["iban", "amount_cents"]
[input_schema.properties.iban]
type = "string"
[input_schema.properties.amount_cents]
type = "integer"

[output_schema]
type = "object"
required = ["payout_id"]
[output_schema.properties.payout_id]
type = "string"
`;

/** A folder of declarations for one test file. */
export interface ToolFiles {
  readonly folder: string;
  /** Writes a file into it and answers its path. */
  write(name: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

/** Makes a temporary folder for declarations. */
export async function toolFiles(): Promise<ToolFiles> {
  const folder = await mkdtemp(join(tmpdir(), "salvor-tools-"));
  return {
    folder,
    async write(name, text) {
      const file = join(folder, name);
      await writeFile(file, text);
      return file;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
