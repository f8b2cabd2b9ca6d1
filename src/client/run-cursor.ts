import type { JsonValue } from "../contract/json.js";
import { holds, type Envelope, type EventKind, type EventOf } from "../log/events.js";
import { NOT_STARTED, applyEvent, isTerminal } from "../log/fold.js";
import { jsonEqual } from "../log/json-equal.js";
import type { RecordedCall } from "../log/recorded-call.js";
import { needsReconciliation, openIntentOf } from "./call-errors.js";
import { History } from "./history.js";
import { hold, isHeldBy } from "./holders.js";
import type { PassedCall } from "./passing-errors.js";
import { RunEndedError, SuspendedError } from "./run-errors.js";
import type { CallOptions, Drive } from "./client-options.js";
import type { SalvorClient } from "./salvor-client.js";
import { DivergenceError, InvalidDriveTokenError } from "./wire-errors.js";

/** A tool and its input: what makes two calls the same call at one position. */
export interface AskedCall {
  readonly tool: string;
  readonly input: JsonValue;
}

/** The call that this instance made at the position where it stands, and whose end it has not seen. */
interface MadeCall extends AskedCall {
  readonly seq: number;
  /** Whether it was handed to the tool. */
  performed: boolean;
}

/** What a driver finds where its next call goes: nothing, or this very call. */
export type FoundCall = Exclude<RecordedCall, { readonly kind: "other" }>;

/** Where a driver stands in its run, and what it knows to be recorded from there on. */
export class RunCursor {
  /** Where the next call goes. */
  position = 0;
  #made: MadeCall | undefined;
  /** The call that this instance opens together with the report on the one it stands at. */
  #ahead: (MadeCall & { readonly asked: AskedCall }) | undefined;
  /** The calls of this instance that took effect, and were passed before their end reached anybody. */
  readonly #passed: PassedCall[] = [];
  /** Whether something may be recorded that this cursor has not seen. */
  #stale = false;
  readonly #history = new History();
  readonly #client: SalvorClient;
  #drive: Drive;

  /** Its holder from now on: another cursor under the same token, in this process, makes no call any more. */
  constructor(client: SalvorClient, drive: Drive) {
    this.#client = client;
    this.#drive = drive;
    hold(drive.driveToken, this);
  }

  get drive(): Drive {
    return this.#drive;
  }

  /** Opens the run again and goes on where it stands, under the token of that. */
  async reopen(options?: CallOptions): Promise<void> {
    const { run } = this.#drive;
    const { drive_token, log } = await this.#client.openRun({ runId: run }, options);
    this.#drive = { run, driveToken: drive_token };
    hold(drive_token, this);
    // Another driver may have made the same call meanwhile: one that no tool of ours was given is nobody's to perform first.
    if (this.#made?.performed !== true) this.#made = undefined;
    this.#ahead = undefined;
    this.#history.load(this.position, log.slice(this.position));
    // The report on one that was given to a tool may arrive only now.
    this.#stale = this.#made !== undefined;
  }

  load(log: readonly Envelope[]): void {
    this.#history.load(0, log);
  }

  /** From now on the log is read again before anything is decided. */
  doubt(): void {
    this.#stale = true;
  }

  /** Reads the log again when there is any doubt about it. */
  async refresh(options?: CallOptions): Promise<void> {
    if (!this.#stale) return;
    this.#history.load(this.position, await this.#client.log(this.drive.run, this.position, options));
    this.#stale = false;
  }

  /** Goes on behind a call or an event that has ended. */
  moveTo(position: number): void {
    this.position = position;
    this.#made = this.#ahead?.seq === position ? this.#ahead : undefined;
    this.#ahead = undefined;
    this.#history.advance(position);
  }

  /** Goes to a position that its caller knows, back or on. */
  goTo(position: number): void {
    if (position === this.position) return;
    this.position = position;
    this.#ahead = undefined;
    this.#stale = true;
  }

  /** Goes on behind something that this instance has just recorded, with the server's word for it. */
  moveBehindOwn(position: number): void {
    this.moveTo(position);
    // A call that was opened ahead is recorded there, and not known here.
    this.#stale = this.#made !== undefined;
  }

  /** Whether no other run of this process goes on under the same token: the server could not tell the two apart. */
  get isHeld(): boolean {
    return isHeldBy(this.drive.driveToken, this);
  }

  /**
   * Notes that this instance makes a call here, which may be recorded from now on.
   *
   * @throws {@link InvalidDriveTokenError} when another run of this process goes on under the same token.
   */
  make(call: AskedCall): void {
    this.#mustHold();
    const again = this.isOwn(call);
    this.#made = { ...call, seq: this.position, performed: again && this.#made?.performed === true };
    this.#stale = true;
  }

  /** Notes that this instance makes a call behind the one it stands at, which may be recorded from now on. */
  makeAhead(seq: number, call: AskedCall): void {
    this.#ahead = { ...call, seq, performed: false, asked: call };
  }

  /** Where this very request for a call may have been opened ahead. */
  aheadAt(call: AskedCall): number | undefined {
    return this.#ahead?.asked === call ? this.#ahead.seq : undefined;
  }

  /** Notes that what was to be made ahead was not recorded. */
  notAhead(): void {
    this.#ahead = undefined;
  }

  /**
   * Notes that the call made here is handed to its tool now.
   *
   * @throws {@link InvalidDriveTokenError} when another run of this process goes on under the same token.
   */
  markPerformed(): void {
    this.#mustHold();
    if (this.#made !== undefined) this.#made.performed = true;
  }

  /** Whether this instance made this call here, and has not handed it to its tool: only then may a `write` be performed. */
  mayPerformFirst(call: AskedCall): boolean {
    return this.isOwn(call) && this.#made?.performed === false;
  }

  isOwn(call: AskedCall): boolean {
    return this.#made?.seq === this.position && isSame(this.#made, call);
  }

  /** The same call, where this instance performed it and went on before its end reached anybody. */
  passed(call: AskedCall): PassedCall | undefined {
    return this.#passed.find((passed) => isSame(passed, call));
  }

  recordedAt(seq: number): RecordedCall {
    return this.#history.callAt(seq);
  }

  eventAt(seq: number): Envelope | undefined {
    return this.#history.at(seq);
  }

  /**
   * What is recorded where a call is asked for. Behind a call of this instance that has ended meanwhile, it moves on.
   *
   * @throws {@link DivergenceError} when another call or event is recorded there.
   */
  find(asked: AskedCall): FoundCall {
    const recorded = this.#history.callAt(this.position);
    if (recorded.kind === "nothing") return recorded;
    if (recorded.kind === "other") throw this.#differs(recorded.envelope, asked);
    if (isSame(recorded.intent.event.payload, asked)) return recorded;
    if (!this.#passOwn(recorded)) throw this.#differs(recorded.intent, asked);
    return this.find(asked);
  }

  /**
   * The event of a kind that is recorded where one is asked for, or `undefined` when nothing is.
   *
   * @throws {@link DivergenceError} when something else is recorded there.
   */
  findEvent<K extends EventKind>(kind: K, accepts: (event: EventOf<K>) => boolean): EventOf<K> | undefined {
    const envelope = this.#history.at(this.position);
    if (envelope === undefined) return undefined;
    if (holds(envelope, kind) && accepts(envelope.event)) return envelope.event;
    const recorded = this.#history.callAt(this.position);
    if (recorded.kind === "nothing" || recorded.kind === "other" || !this.#passOwn(recorded)) {
      throw this.#differs(envelope, { kind });
    }
    return this.findEvent(kind, accepts);
  }

  /**
   * Moves behind the call that this instance made here, if that is what is recorded and it has ended; answers whether it did.
   *
   * @throws when it has not ended: nothing can be asked for behind it.
   */
  #passOwn(recorded: Exclude<FoundCall, { readonly kind: "nothing" }>): boolean {
    if (!this.isOwn(recorded.intent.event.payload)) return false;
    const { seq, event } = recorded.intent;
    if (recorded.kind === "settled") {
      const { result } = recorded;
      const { tool, input, effect } = event.payload;
      if (result.kind === "output" && effect !== "read") {
        this.#passed.push({ tool, input, seq, output: result.output });
      }
      this.moveTo(recorded.next);
      return true;
    }
    this.#stale = true;
    if (recorded.kind === "suspended") {
      throw new SuspendedError(this.position, recorded.reason, recorded.inputSchema);
    }
    if (event.payload.effect === "write") {
      throw needsReconciliation(this.drive.run, openIntentOf(recorded.intent));
    }
    return false;
  }

  #mustHold(): void {
    if (!this.isHeld) {
      throw new InvalidDriveTokenError(
        `run ${this.drive.run} is driven by another ClientRun of this process, which was opened with its drive token later: go on with that one`,
        { code: "invalid_drive_token" },
      );
    }
  }

  #differs(recorded: Envelope, asked: unknown): DivergenceError | RunEndedError {
    const { status } = applyEvent(NOT_STARTED, recorded);
    if (isTerminal(status)) return new RunEndedError(this.drive.run, status);
    return new DivergenceError(
      `position ${recorded.seq} of run ${this.drive.run}: recorded is ${words(recorded.event)}, asked for was ${words(asked)}`,
      { code: "divergence" },
      { position: recorded.seq, recorded: recorded.event, asked },
    );
  }
}

function isSame(a: AskedCall, b: AskedCall): boolean {
  return a.tool === b.tool && jsonEqual(a.input, b.input);
}

function words(value: unknown): string {
  const text = JSON.stringify(value, (_, member: unknown) =>
    typeof member === "bigint" ? String(member) : member,
  );
  return text.length <= 400 ? text : `${text.slice(0, 400)}…`;
}
