import type { Logger } from "pino";
import type { DeclaredTool } from "../declarations/declared-tool.js";
import type { RunTools } from "../runtime/durable-run.js";
import { HostedCalls } from "../runtime/hosted/hosted-calls.js";
import type { HostedOptions } from "../runtime/hosted/hosted-options.js";
import { Recorder } from "../runtime/recorder.js";
import type { EventStore } from "../store/event-store.js";
import { ModelCalls } from "./model/model-calls.js";
import type { ModelExecutor } from "./model/model-executor.js";
import { DEFAULT_LEASE_TTL_MS, Drivers } from "./drivers.js";
import { toolLogOf } from "./tool-log.js";
import { logThrown } from "./log-thrown.js";
import { Observer } from "./observe/observer.js";
import { OpenStreams } from "./stream/open-streams.js";
import { hashSecret } from "./tokens.js";

/** What the server needs to know of declared tools; `ClientToolRegistry` is one. */
export interface ClientTools {
  get(name: string): DeclaredTool | undefined;
  /** What `GET /v1/client-tools` lists, sorted by name. */
  published(): readonly object[];
}

export interface AppOptions {
  readonly store: EventStore;
  /** The secret that clients must present; without it, none is needed. */
  readonly clientToken?: string;
  /** The secret that settles, resumes and abandons; without it, every client may. */
  readonly operatorToken?: string;
  /** Origins besides this server's own whose pages may call it, as `https://ops.example`. */
  readonly allowOrigins?: readonly string[];
  /** How long a driver counts as attached after its last request, in milliseconds. */
  readonly leaseTtlMs?: number;
  /** After how much silence an event stream says that it lives, in milliseconds; 10 000 unless given. */
  readonly keepAliveMs?: number;
  /** How many event streams may be open at once; 8 000 unless given. */
  readonly maxStreams?: number;
  /** How long a model call of this server may take at the most, in milliseconds; 15 minutes unless given. */
  readonly modelLimitMs?: number;
  /**
   * Whether other machines may call although no token is configured, by this server's address. A name is never enough: a
   * page in somebody's browser can make one point here.
   */
  readonly insecure?: boolean;
  readonly logger?: Logger;
  /** Whether the log holds request and answer bodies, which may hold secrets; no by default. */
  readonly logPayloads?: boolean;
  /** How the tools of {@link AppState.withTools} are performed. */
  readonly hosting?: Pick<HostedOptions, "concurrency" | "lineLength" | "timeoutMs" | "executionTtlMs">;
  /** Where the time comes from; the wall clock by default. */
  readonly now?: () => Date;
}

/** How long an event stream is silent at the most, unless something else is configured: the contract allows 15 s. */
const DEFAULT_KEEP_ALIVE_MS = 10_000;

/** How many event streams are open at the most, unless something else is configured: fewer than there may be connections. */
const DEFAULT_MAX_STREAMS = 8_000;

const DEFAULT_MODEL_LIMIT_MS = 15 * 60_000;

const NO_TOOLS: ClientTools = { get: () => undefined, published: () => [] };

/** What a state is made of besides its options: another state, and what is put in place of what that has. */
interface Derived {
  readonly from: AppState;
  readonly clientTools?: ClientTools;
  readonly tools?: RunTools;
  readonly modelExecutor?: ModelExecutor;
}

/**
 * Everything that a request needs and that outlives it. Immutable but for what is in the store: `with…` answers another
 * state over the same store and the same queues.
 */
export class AppState {
  readonly store: EventStore;
  readonly recorder: Recorder;
  readonly drivers: Drivers;
  readonly streams: OpenStreams;
  readonly observer: Observer;
  readonly keepAliveMs: number;
  readonly clientTokenHash: string | undefined;
  readonly operatorTokenHash: string | undefined;
  readonly allowOrigins: ReadonlySet<string>;
  readonly insecure: boolean;
  readonly logger: Logger | undefined;
  readonly logPayloads: boolean;
  readonly clientTools: ClientTools;
  /** What calls models for runs; absent when this server calls none. */
  readonly modelExecutor: ModelExecutor | undefined;
  readonly modelCalls: ModelCalls;
  /** Performs the calls of this server's own tools, if it has any. */
  readonly hosted: HostedCalls;
  readonly #options: AppOptions;

  /**
   * @throws TypeError when a token is empty, or when both are equal: the client's word would count as the operator's.
   */
  constructor(options: AppOptions, derived?: Derived) {
    const { clientToken, operatorToken, now = () => new Date() } = options;
    if (clientToken === "" || operatorToken === "") throw new TypeError("a token may not be empty");
    if (clientToken !== undefined && clientToken === operatorToken) {
      throw new TypeError(
        "the client and the operator token are equal; give the operator a secret of its own",
      );
    }
    this.#options = options;
    this.clientTokenHash = clientToken === undefined ? undefined : hashSecret(clientToken);
    this.operatorTokenHash = operatorToken === undefined ? undefined : hashSecret(operatorToken);
    this.allowOrigins = new Set(options.allowOrigins);
    this.insecure = options.insecure ?? false;
    this.keepAliveMs = options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS;
    this.logger = options.logger;
    this.logPayloads = options.logPayloads ?? false;
    this.clientTools = derived?.clientTools ?? derived?.from.clientTools ?? NO_TOOLS;
    this.modelExecutor = derived?.modelExecutor ?? derived?.from.modelExecutor;
    this.modelCalls =
      derived?.from.modelCalls ?? new ModelCalls(options.modelLimitMs ?? DEFAULT_MODEL_LIMIT_MS);
    this.drivers =
      derived?.from.drivers ??
      new Drivers(options.leaseTtlMs ?? DEFAULT_LEASE_TTL_MS, options.store.presence);
    this.streams = derived?.from.streams ?? new OpenStreams(options.maxStreams ?? DEFAULT_MAX_STREAMS);
    this.observer =
      derived?.from.observer ??
      new Observer({ store: options.store, streams: this.streams, now, logger: options.logger });
    this.store = this.observer.store;
    this.recorder =
      derived?.from.recorder ?? new Recorder(this.store, { now, aroundCall: this.observer.call });
    this.hosted =
      derived?.tools === undefined && derived !== undefined
        ? derived.from.hosted
        : new HostedCalls(this.recorder, derived?.tools, { ...options.hosting, ...this.#telling() });
    this.#checkNames();
  }

  /** This state with an operator's declared client tools. */
  withClientTools(clientTools: ClientTools): AppState {
    return new AppState(this.#options, { from: this, clientTools });
  }

  /** This state with what calls models for its runs. */
  withModelExecutor(modelExecutor: ModelExecutor): AppState {
    return new AppState(this.#options, { from: this, modelExecutor });
  }

  /**
   * This state with tools that the server performs itself.
   *
   * @throws TypeError when a name is also that of a declared client tool: nobody could say who performs it.
   * @throws RangeError when a number of `hosting` is none that can be used.
   */
  withTools(tools: RunTools): AppState {
    return new AppState(this.#options, { from: this, tools });
  }

  #telling(): Pick<HostedOptions, "logOf" | "onTrouble"> {
    const { logger } = this;
    if (logger === undefined) return {};
    return {
      logOf: (call) => toolLogOf(logger, call),
      onTrouble: (trouble, fields, error, by) => {
        logThrown(logger, error, trouble, { fields, told: by === "server" || this.logPayloads });
      },
    };
  }

  #checkNames(): void {
    const both = (this.hosted.tools?.names() ?? []).filter(
      (name) => this.clientTools.get(name) !== undefined,
    );
    if (both.length === 0) return;
    throw new TypeError(
      `${both.join(", ")}: declared as a client tool and performed by this server too; let one of the two have another name`,
    );
  }
}
