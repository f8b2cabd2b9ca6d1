/** How long a driver counts as attached after it last presented its token, when nothing else is configured. */
export const DEFAULT_LEASE_TTL_MS = 60_000;

/** Seen drivers kept at the most; the oldest are forgotten first, which makes a run look unattended, never attended. */
const MAX_SEEN = 100_000;

/** Who was seen driving lately: a hint in memory that a restart forgets, never part of a run. */
export class Drivers {
  readonly #lastSeen = new Map<string, number>();

  constructor(
    private readonly ttlMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The run's current token was presented just now. */
  seen(run: string): void {
    this.#lastSeen.delete(run);
    this.#lastSeen.set(run, this.now());
    if (this.#lastSeen.size > MAX_SEEN) {
      const oldest = this.#lastSeen.keys().next();
      if (oldest.done !== true) this.#lastSeen.delete(oldest.value);
    }
  }

  /** Whether the token was presented within the lease's time to live. */
  isAttached(run: string): boolean {
    return this.attachedFor(run) > 0;
  }

  /** For how many milliseconds more the driver counts as attached if it is not seen again; 0 when it does not. */
  attachedFor(run: string): number {
    const at = this.#lastSeen.get(run);
    return at === undefined ? 0 : Math.max(0, at + this.ttlMs - this.now());
  }
}
