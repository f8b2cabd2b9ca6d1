/**
 * The answers that were made and of which it is not known yet whether they have left for their client. While that is so,
 * nobody can say whether the same question asked again means the same call.
 */
export class AnswersUnderway {
  readonly #underway = new Map<string, Set<Promise<void>>>();

  /** Notes an answer of a run. Answers what is to be called, with what to do about it, once it is known what became of it. */
  expect(run: string): (work: () => Promise<void>) => Promise<void> {
    let know: (work: Promise<void>) => void = () => undefined;
    const known = new Promise<void>((resolve) => {
      know = resolve;
    });
    const answers = this.#underway.get(run) ?? new Set();
    this.#underway.set(run, answers.add(known));
    const forget = (): void => {
      answers.delete(known);
      if (answers.size === 0 && this.#underway.get(run) === answers) this.#underway.delete(run);
    };
    known.then(forget, forget);
    return (work) => {
      const done = work();
      know(done);
      return done;
    };
  }

  /** Waits for the answers of a run; answers whether there were any. */
  async settled(run: string): Promise<boolean> {
    const answers = this.#underway.get(run);
    if (answers === undefined) return false;
    await Promise.allSettled(answers);
    return true;
  }

  /** Resolves when none is left. */
  async idle(): Promise<void> {
    while (this.#underway.size > 0) {
      await Promise.allSettled([...this.#underway.values()].flatMap((each) => [...each]));
    }
  }
}
