import type { EventStore, Execution } from "../../store/event-store.js";

/** An execution that is renewed until it is let go of, or until its call has an end. */
export class Heartbeat {
  readonly #timer: NodeJS.Timeout;
  #beating: Promise<void> = Promise.resolve();

  /** @param onTrouble told when the store could not be asked; the next beat tries again. */
  constructor(
    private readonly store: EventStore,
    private readonly run: string,
    private readonly execution: Execution,
    private readonly ttlMs: number,
    onTrouble: (error: unknown) => void,
  ) {
    const beat = (): void => {
      this.#beating = this.#beating.then(() => this.#beat()).catch(onTrouble);
    };
    // So often that one beat may fail.
    this.#timer = setInterval(beat, Math.ceil(ttlMs / 3));
    this.#timer.unref();
  }

  async #beat(): Promise<void> {
    // Once it has lapsed, somebody may have settled the call, and the run goes on: it must not be held up.
    const [end] = await this.store.readLog(this.run, this.execution.seq + 1, 1);
    if (end === undefined) await this.store.holdExecution(this.run, this.execution, this.ttlMs);
    else await this.#letGo();
  }

  /** Lets go, once no beat is left that would take it again. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    await this.#letGo();
  }

  async #letGo(): Promise<void> {
    clearInterval(this.#timer);
    await this.store.releaseExecution(this.run, this.execution);
  }
}
