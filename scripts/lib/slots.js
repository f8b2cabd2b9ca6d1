/** Lets a number of pieces of work run at once; the others wait in the order in which they came. */
export class Slots {
  #free;
  #waiting = [];

  constructor(count) {
    this.#free = count;
  }

  /** Runs a piece of work when its turn has come; answers what it does. */
  async run(work) {
    return this.#take(work, (go) => this.#waiting.push(go));
  }

  /** The same, before all that waits now. */
  async first(work) {
    return this.#take(work, (go) => this.#waiting.unshift(go));
  }

  async #take(work, queue) {
    if (this.#free === 0) await new Promise(queue);
    else this.#free -= 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
