import type { Child } from "./child.js";
import type { DeskLine } from "./desk-protocol.js";
import { StoryError } from "./story-error.js";

type Line<A extends DeskLine["at"]> = Extract<DeskLine, { readonly at: A }>;

/** A desk as the story sees it: a process that prints what it does. */
export class DeskProcess {
  readonly #child: Child;

  constructor(child: Child) {
    this.#child = child;
  }

  /** Its next line, which has to be this one. */
  async next<A extends DeskLine["at"]>(at: A): Promise<Line<A>> {
    const text = await this.#child.line();
    const line = JSON.parse(text) as DeskLine;
    if (line.at !== at) throw new StoryError(`${this.#child.name} was to say "${at}", and said ${text}`);
    return line as Line<A>;
  }

  /** The error that its next step ends in, which has to be of this class. */
  async refused(error: string): Promise<Line<"refused">> {
    const line = await this.next("refused");
    if (line.error !== error) {
      throw new StoryError(`${this.#child.name} was to get ${error}, and got ${line.error}: ${line.message}`);
    }
    return line;
  }

  goOn(): void {
    this.#child.goOn();
  }

  async kill(): Promise<void> {
    await this.#child.kill();
  }

  /** Waits until it has ended, which has to be well. */
  async end(): Promise<void> {
    const how = await this.#child.end();
    if (how !== "0") throw new StoryError(`${this.#child.name} ended with ${how}:\n${this.#child.stderr}`);
  }
}
