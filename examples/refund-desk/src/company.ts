import { Child, type ChildOptions } from "./child.js";

/** All the processes of the story. None of them outlives it. */
export class Company {
  readonly #children: Child[] = [];
  #closed = false;

  start(options: ChildOptions): Child {
    if (this.#closed) throw new Error(`${options.name} cannot start any more: the story is over`);
    const child = new Child(options);
    this.#children.push(child);
    return child;
  }

  /** Ends every process that still runs, by its pid. None starts after this. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#children.map((child) => child.kill()));
  }
}
