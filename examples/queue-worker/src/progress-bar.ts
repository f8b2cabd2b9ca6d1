const WIDTH = 40;

/** How far the work is: one line that is drawn again on a terminal, a line for every tenth elsewhere. */
export class ProgressBar {
  readonly #total: number;
  #tenths = 0;

  constructor(total: number) {
    this.#total = total;
  }

  show(done: number, note: string): void {
    const full = Math.floor((done / this.#total) * WIDTH);
    const line = `[${"#".repeat(full)}${".".repeat(WIDTH - full)}] ${done}/${this.#total} ${note}`;
    if (process.stdout.isTTY) {
      process.stdout.write(`\r${line}\u001b[K${done === this.#total ? "\n" : ""}`);
      return;
    }
    const tenths = Math.floor((done / this.#total) * 10);
    if (tenths > this.#tenths) console.log(line);
    this.#tenths = Math.max(tenths, this.#tenths);
  }
}
