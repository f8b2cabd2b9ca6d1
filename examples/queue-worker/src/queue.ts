import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RefundInput } from "./payments.js";

/** A message: delivered again and again until it is acknowledged. */
export interface Message {
  readonly id: number;
  readonly refund: RefundInput;
}

/** A queue in a folder: what any queue does, in two files. */
export class Queue {
  readonly #messages: string;
  readonly #acknowledged: string;

  constructor(folder: string) {
    this.#messages = join(folder, "messages.jsonl");
    this.#acknowledged = join(folder, "acknowledged.txt");
  }

  fill(messages: readonly Message[]): void {
    writeFileSync(this.#messages, messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }

  /** What is still to be done, oldest first. */
  pending(): readonly Message[] {
    const done = new Set(lines(this.#acknowledged).map(Number));
    return lines(this.#messages)
      .map((line) => JSON.parse(line) as Message)
      .filter(({ id }) => !done.has(id));
  }

  acknowledge(id: number): void {
    appendFileSync(this.#acknowledged, `${id}\n`);
  }
}

/** The lines of a file. The one that a killed process was writing is no line. */
function lines(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}
