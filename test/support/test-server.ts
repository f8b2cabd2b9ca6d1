import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClientToolRegistry, type DeclarationInput } from "#salvor/declarations/index.js";
import type { Envelope } from "#salvor/log/events.js";
import type { RunTools } from "#salvor/runtime/index.js";
import {
  AppState,
  startServer,
  type AppOptions,
  type Limits,
  type ModelExecutor,
  type RunningServer,
} from "#salvor/server/index.js";
import { openLowdbStore, type EventStore } from "#salvor/store/index.js";
import { assertDescribed } from "./contract.js";
import { TOOLS } from "./tools.js";

/** A JSON answer: `any`, because a test asserts what it looks like. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
}

export interface CallOptions {
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bearer token. */
  readonly bearer?: string;
  /** Drive token. */
  readonly drive?: string;
}

export type TestServerOptions = Omit<AppOptions, "store"> & {
  readonly tools?: readonly DeclarationInput[];
  readonly limits?: Partial<Limits>;
  readonly executor?: ModelExecutor | undefined;
  /** The tools that the server performs itself. */
  readonly hosted?: RunTools;
};

/** A real server on a real store in a folder of its own. Every answer is held to the server's own description of itself. */
export class TestServer {
  private constructor(
    readonly dir: string,
    private options: TestServerOptions,
    private running: RunningOn,
  ) {}

  static async start(options: TestServerOptions = {}): Promise<TestServer> {
    const dir = await mkdtemp(join(tmpdir(), "salvor-test-"));
    return new TestServer(dir, options, await startOn(dir, options));
  }

  get url(): string {
    return this.running.url;
  }

  /** The store that this server works on. */
  get store(): EventStore {
    return this.running.store;
  }

  /** Ends this server, and leaves what it wrote. */
  close(graceMs?: number): Promise<void> {
    return this.running.close(graceMs);
  }

  /** Ends this server and starts another on the same folder. */
  async restart(options: TestServerOptions = this.options): Promise<void> {
    await this.running.close();
    this.options = options;
    this.running = await startOn(this.dir, options);
  }

  /** Appends events to a run as they are, while no server is running: what only the server itself would record. */
  async record(run: string, events: readonly Envelope[]): Promise<void> {
    await this.running.close();
    const store = await openLowdbStore({ dir: this.dir });
    await store.append(run, events);
    await store.close();
    this.running = await startOn(this.dir, this.options);
  }

  async stop(): Promise<void> {
    await this.running.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  async call(
    method: string,
    path: string,
    { body, raw, headers, bearer, drive }: CallOptions = {},
  ): Promise<Answer> {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(drive !== undefined && { "x-drive-token": drive }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    });
    const text = await response.text();
    const { status, headers: answered } = response;
    assertDescribed({ method, path, status, headers: answered, ...(method !== "HEAD" && { text }) });
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson(response) && text !== "" ? JSON.parse(text) : undefined,
    };
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call("GET", path, options);
  }

  post(path: string, body: unknown, options?: CallOptions): Promise<Answer> {
    return this.call("POST", path, { ...options, body });
  }

  /** Opens a run and, unless told otherwise, starts it. */
  async open({ bearer, started = true }: { bearer?: string; started?: boolean } = {}): Promise<TestRun> {
    const { json } = await this.post("/v1/client-runs", {}, bearer === undefined ? {} : { bearer });
    const opened = new TestRun(this, json.run as string, json.drive_token as string, bearer);
    if (started) await opened.event(0, "RunStarted", { agent_def_hash: "sha256:agent", input: {} });
    return opened;
  }
}

/** A run as its driver sees it. */
export class TestRun {
  constructor(
    private readonly server: TestServer,
    readonly id: string,
    readonly token: string,
    private readonly bearer: string | undefined,
  ) {}

  get path(): string {
    return `/v1/client-runs/${this.id}`;
  }

  post(endpoint: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
    const bearer = options.bearer ?? this.bearer;
    return this.server.post(`${this.path}/${endpoint}`, body, {
      drive: this.token,
      ...(bearer !== undefined && { bearer }),
      ...options,
    });
  }

  event(seq: number, kind: string, payload: unknown): Promise<Answer> {
    return this.post("events", { events: [this.envelope(seq, kind, payload)] });
  }

  envelope(seq: number, kind: string, payload: unknown) {
    return {
      run_id: this.id,
      seq,
      schema_version: 1,
      recorded_at: "2020-01-01T00:00:00Z",
      event: { kind, payload },
    };
  }

  intent(seq: number, tool: string, input: unknown): Promise<Answer> {
    return this.post("client-tool-intent", { seq, tool, input });
  }

  complete(seq: number, report: Readonly<Record<string, unknown>>): Promise<Answer> {
    return this.post("client-tool-completion", { seq, ...report });
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async log(): Promise<any[]> {
    const { json } = await this.server.get(
      `${this.path}/log`,
      this.bearer === undefined ? {} : { bearer: this.bearer },
    );
    return json.log;
  }
}

function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("application/json") === true;
}

interface RunningOn extends RunningServer {
  readonly store: EventStore;
}

async function startOn(
  dir: string,
  { tools = TOOLS, executor, hosted, limits, ...options }: TestServerOptions,
): Promise<RunningOn> {
  const registry = new ClientToolRegistry();
  for (const tool of tools) registry.declare(tool);
  const store = await openLowdbStore({ dir });
  const state = new AppState({ ...options, store }).withClientTools(registry);
  const called = executor === undefined ? state : state.withModelExecutor(executor);
  const server = await startServer(hosted === undefined ? called : called.withTools(hosted), {
    host: "127.0.0.1",
    port: 0,
    ...(limits && { limits }),
  });
  return { url: server.url, close: (graceMs) => server.close(graceMs), store };
}
