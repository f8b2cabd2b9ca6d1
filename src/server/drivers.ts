import type { DriverPresence } from "../store/event-store.js";

/** How long a driver counts as attached after it last presented its token, when nothing else is configured. */
export const DEFAULT_LEASE_TTL_MS = 60_000;

/** Seen drivers kept at the most; the oldest are forgotten first, which makes a run look unattended, never attended. */
const MAX_SEEN = 100_000;

/**
 * Who was seen driving lately: a hint in memory that a restart forgets, never part of a run. Servers that share a store
 * tell each other.
 */
export class Drivers {
  readonly #lastSeen = new Map<string, number>();
  /** When the others were last told of a driver. */
  readonly #announced = new Map<string, number>();

  constructor(
    private readonly ttlMs: number,
    private readonly presence?: DriverPresence,
    private readonly now: () => number = () => performance.now(),
  ) {
    presence?.subscribe((run) => {
      note(this.#lastSeen, run, this.now());
    });
  }

  /** The run's current token was presented to this server just now. */
  seen(run: string): void {
    const now = this.now();
    note(this.#lastSeen, run, now);
    if (this.presence === undefined || now < (this.#announced.get(run) ?? -Infinity) + this.ttlMs / 4) return;
    note(this.#announced, run, now);
    this.presence.announce(run);
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

function note(times: Map<string, number>, run: string, now: number): void {
  times.delete(run);
  times.set(run, now);
  if (times.size <= MAX_SEEN) return;
  const oldest = times.keys().next();
  if (oldest.done !== true) times.delete(oldest.value);
}
