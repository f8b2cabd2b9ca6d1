/** What an instance knows of the asks that it was handed: which recorded calls they are, and which came to nothing. */
export class KnownAsks {
  readonly #ids = new Map<number, string>();
  readonly #refused = new Set<string>();

  /** Which ask the call is that is recorded at a position, where this instance performed or answered it. */
  idAt(seq: number): string | undefined {
    return this.#ids.get(seq);
  }

  /** Whatever is recorded at a position from now on is an ask's. */
  note(seq: number, id: string): void {
    this.#ids.set(seq, id);
  }

  /** Whether an ask of a turn was refused before anything of it was recorded. */
  isRefused(turn: number, id: string): boolean {
    return this.#refused.has(keyOf(turn, id));
  }

  refuse(turn: number, id: string): void {
    this.#refused.add(keyOf(turn, id));
  }
}

function keyOf(turn: number, id: string): string {
  return `${turn} ${id}`;
}
