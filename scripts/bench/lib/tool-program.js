// Programs with as many tool classes as wanted, of the kind that people write: a file for each tool, types of its own, and
// types that it shares with some of the others and with all of them.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../lib/root.js";

/** How many tools share a file of types. */
const GROUP = 20;

const COMMON = `/** An amount of money. */
export interface Money {
  /** In the currency's smallest unit.
   * @integer
   * @minimum 0 */
  amount: number;
  currency: "EUR" | "USD" | "GBP";
}
export type Id<K extends string> = string & { readonly __id: K };
export interface Page<T> {
  items: readonly T[];
  next: string | null;
}
export enum Priority { Low = "low", Normal = "normal", High = "high" }
export type Result<T> = { ok: true; value: T } | { ok: false; reason: string };
`;

const group = (at) => `import type { Id, Money } from "../common.js";
/** A line of an order in area ${at}. */
export interface Line${at} {
  sku: \`sku-\${string}\`;
  /** @minimum 1
   * @integer */
  count: number;
  price: Money;
}
export interface Order${at} {
  id: Id<"order-${at}">;
  lines: Line${at}[];
  notes?: Record<string, string>;
  parent?: Order${at} | null;
}
export type Change${at} = { kind: "add"; line: Line${at} } | { kind: "remove"; sku: string } | { kind: "clear" };
`;

/** The source of one tool. */
export function toolText(at, more = "") {
  const area = Math.floor(at / GROUP);
  return `import { Tool, type ToolCtx, type ToolHandler } from "salvor";
import { Priority, type Page, type Result } from "../common.js";
import type { Change${area}, Line${area}, Order${area} } from "../areas/area-${area}.js";

export interface Input${at} extends Pick<Order${area}, "id" | "notes"> {
  /** Why it is done.
   * @minLength 3
   * @maxLength 500 */
  reason: string;
  changes: Change${area}[];
  priority?: Priority;
  /** @format date */
  due?: string | null;
  range: [from: number, to?: number];
  filter: Partial<Omit<Line${area}, "price">>;${more}
}

export interface Output${at} {
  order: Order${area};
  lines: Page<Line${area}>;
  result: Result<{ at: string; by: "person" | "robot" }>;
}

/** Changes orders of area ${area}, in way ${at}. */
@Tool("write")
export class ChangeOrder${at} implements ToolHandler<Input${at}, Output${at}> {
  async call(ctx: ToolCtx, input: Input${at}): Promise<Output${at}> {
    const total = input.changes.map((change) => (change.kind === "add" ? change.line.count : 0));
    const count = total.reduce((sum, next) => sum + next, 0);
    return {
      order: { id: input.id, lines: [], ...(input.notes && { notes: input.notes }) },
      lines: { items: [], next: count > 0 ? String(count) : null },
      result: input.priority === Priority.Low ? { ok: false, reason: input.reason } : { ok: true, value: { at: "now", by: "robot" } },
    };
  }
}
`;
}

const OPTIONS = {
  strict: true,
  module: "nodenext",
  target: "es2022",
  lib: ["es2023"],
  types: [],
  skipLibCheck: true,
  noEmit: true,
};

/** A program with this many tools in a folder of its own. */
export function toolProgram(count) {
  const folder = mkdtempSync(join(tmpdir(), "salvor-bench-program-"));
  const write = (name, text) => writeFileSync(join(folder, name), text);
  for (const part of ["node_modules", "src/areas", "src/tools"])
    mkdirSync(join(folder, part), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/salvor"), "dir");
  write("package.json", JSON.stringify({ type: "module" }));
  write("tsconfig.json", JSON.stringify({ compilerOptions: OPTIONS, include: ["src"] }));
  write("src/common.ts", COMMON);
  for (let at = 0; at * GROUP < count; at += 1) write(`src/areas/area-${at}.ts`, group(at));
  for (let at = 0; at < count; at += 1) write(`src/tools/change-order-${at}.ts`, toolText(at));
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
