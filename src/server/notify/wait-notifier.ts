import { randomUUID } from "node:crypto";
import type { WaitNotices } from "../../store/event-store.js";
import type { AppState } from "../app-state.js";
import { errorFacts } from "../error-facts.js";
import { pageOf } from "../resources/run-list.js";
import { MemoryNotices } from "./memory-notices.js";
import { waitOf, type Wait } from "./wait.js";
import { post, type Webhook, type WebhookMessage } from "./webhook.js";

export interface NotifierOptions {
  /** How often runs that wait are looked for, in milliseconds. */
  readonly everyMs?: number;
  /** The wait after a failed attempt, doubled with each further one up to `most`, in milliseconds. */
  readonly backoff?: { readonly first: number; readonly most: number };
}

interface Failures {
  readonly seq: number;
  readonly count: number;
  /** When the next attempt is due. */
  readonly due: number;
}

const EVERY_MS = 5_000;
const BACKOFF = { first: 5_000, most: 600_000 };
/** Longer than an attempt may take: a server that died while it told leaves the wait to another one after that. */
const CLAIM_MS = 60_000;
/** How long what is on its way is waited for when a server stops. */
const GRACE_MS = 2_000;
/** How many are told at once: a morning with hundreds of waits floods nobody. */
const AT_ONCE = 4;
const PAGE = 500;

/**
 * Tells a webhook of each run that starts to wait for a person: once for each wait, over restarts and servers; again and again
 * until it is taken, for as long as the run waits.
 *
 * @returns the way to stop; it resolves when nothing is under way any more.
 */
export function notifyOfWaits(
  state: AppState,
  webhook: Webhook,
  { everyMs = EVERY_MS, backoff = BACKOFF }: NotifierOptions = {},
): () => Promise<void> {
  const notifier = new WaitNotifier(state, webhook, backoff);
  let looking: Promise<void> | undefined;
  const look = (): void => {
    looking ??= notifier.look().finally(() => {
      looking = undefined;
    });
  };
  const timer = setInterval(look, everyMs).unref();
  look();
  return async () => {
    clearInterval(timer);
    notifier.stop();
    await looking;
  };
}

class WaitNotifier {
  readonly #state: AppState;
  readonly #webhook: Webhook;
  readonly #backoff: { readonly first: number; readonly most: number };
  readonly #notices: WaitNotices;
  readonly #holder = randomUUID();
  #stopped = false;
  /** Gives up what is on its way. */
  readonly #given = new AbortController();
  /** Of each run that still waits, the last wait that was told: a store need not be asked again for it. */
  #told = new Map<string, number>();
  #failures = new Map<string, Failures>();

  constructor(state: AppState, webhook: Webhook, backoff: { readonly first: number; readonly most: number }) {
    this.#state = state;
    this.#webhook = webhook;
    this.#backoff = backoff;
    this.#notices = state.store.notices ?? new MemoryNotices();
  }

  /** Begins nothing more. What is on its way may still be taken, for a moment: else it would be told again. */
  stop(): void {
    this.#stopped = true;
    setTimeout(() => {
      this.#given.abort();
    }, GRACE_MS).unref();
  }

  /** Tells of every wait that is due. Never throws: what could not be told is told another time. */
  async look(): Promise<void> {
    try {
      const waits = await this.#waits();
      this.#forget(waits);
      const due = waits.filter((wait) => this.#isDue(wait)).values();
      // Several work through the same list.
      await Promise.all(Array.from({ length: AT_ONCE }, () => this.#tellAll(due)));
    } catch (error) {
      this.#say(error, "runs that wait for a person could not be looked for");
    }
  }

  async #waits(): Promise<readonly Wait[]> {
    const waits: Wait[] = [];
    for (let after: string | undefined; ;) {
      const page = await pageOf(this.#state, {
        group: "waiting",
        limit: PAGE,
        ...(after !== undefined && { after }),
      });
      waits.push(...page.runs.map(waitOf));
      if (page.next === undefined) return waits;
      after = page.next;
    }
  }

  /** What does not wait any more is of no interest; the store knows what was told of it. */
  #forget(waits: readonly Wait[]): void {
    const waiting = new Set(waits.map(({ run }) => run));
    const still = <T>(known: Map<string, T>) => new Map([...known].filter(([run]) => waiting.has(run)));
    this.#told = still(this.#told);
    this.#failures = still(this.#failures);
  }

  #isDue({ run, seq }: Wait): boolean {
    if ((this.#told.get(run) ?? -1) >= seq) return false;
    const failures = this.#failures.get(run);
    return failures?.seq !== seq || failures.due <= performance.now();
  }

  async #tellAll(waits: Iterable<Wait>): Promise<void> {
    for (const wait of waits) {
      if (this.#stopped) return;
      await this.#tell(wait);
    }
  }

  async #tell(wait: Wait): Promise<void> {
    const { run, seq } = wait;
    try {
      if (!(await this.#notices.claim(run, seq, this.#holder, CLAIM_MS))) {
        // It was told, or another server is about to: if that one dies, it is asked for again.
        this.#failures.set(run, { seq, count: 0, due: performance.now() + CLAIM_MS });
        return;
      }
      await post(this.#webhook, messageOf(wait), { signal: this.#given.signal });
      this.#told.set(run, seq);
      this.#failures.delete(run);
      await this.#notices.told(run, seq);
      this.#state.logger?.info({ run, seq }, "told the webhook that a run waits for a person");
    } catch (error) {
      if (this.#stopped) return;
      const before = this.#failures.get(run);
      const count = before?.seq === seq ? before.count : 0;
      const pause = Math.min(this.#backoff.first * 2 ** count, this.#backoff.most);
      this.#failures.set(run, { seq, count: count + 1, due: performance.now() + pause });
      this.#say(error, "the webhook could not be told that a run waits for a person", { run, seq });
    }
  }

  #say(error: unknown, message: string, about: object = {}): void {
    this.#state.logger?.warn({ ...about, err: errorFacts(error, true) }, message);
  }
}

/** What is posted: the same bytes at each attempt. */
function messageOf(wait: Wait): WebhookMessage {
  return {
    id: `wait_${wait.run}_${wait.seq}`,
    body: JSON.stringify({ type: "run.waiting", timestamp: wait.since, data: wait }),
  };
}
