import { styleText } from "node:util";

export type Paint = "bold" | "dim" | "red" | "green" | "yellow";

/** Where a command writes, and how much it may assume about who reads. */
export interface Output {
  /** Whether a person's terminal is at the other end. */
  readonly terminal: boolean;
  /** How many columns a line may take; unlimited when no terminal is there. */
  readonly columns: number;
  line(text?: string): void;
  paint(how: Paint, text: string): string;
}

/** A stream to write on. On a terminal Node adds `isTTY` and `columns`; elsewhere both are missing. */
export type Writable = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** An output on a stream. Colour only on a terminal that can show it, and never against NO_COLOR (https://no-color.org). */
export function outputOn(stream: Writable, env: NodeJS.ProcessEnv = process.env): Output {
  const terminal = stream.isTTY === true;
  const columns = stream.columns ?? 0;
  const coloured = terminal && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return {
    terminal,
    // A terminal that does not know its size says 0.
    columns: terminal && columns > 0 ? columns : Infinity,
    line: (text = "") => void stream.write(`${text}\n`),
    paint: (how, text) => (coloured ? styleText(how, text, { validateStream: false }) : text),
  };
}

export const out: Output = outputOn(process.stdout);
export const err: Output = outputOn(process.stderr);

/** One JSON document on standard output, for a script. */
export function printJson(value: unknown): void {
  out.line(JSON.stringify(value, null, 2));
}
