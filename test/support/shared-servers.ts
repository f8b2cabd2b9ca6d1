import { spawnServer, type SpawnedServer, type SpawnServerOptions } from "./spawn-server.js";

/** A JSON answer: `any`, because a test asserts what it looks like. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
}

/** One of several servers on one database, as clients see it. */
export class SharedServer {
  private constructor(readonly process: SpawnedServer) {}

  static async start(store: string, options: SpawnServerOptions = {}): Promise<SharedServer> {
    const args = ["--log-level", "warn", ...(options.args ?? [])];
    return new SharedServer(await spawnServer({ ...options, args, store }));
  }

  get url(): string {
    return this.process.url;
  }

  async call(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(this.url + path, {
      method,
      headers,
      signal: AbortSignal.timeout(60_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const json: unknown = JSON.parse(await response.text());
    return { status: response.status, headers: response.headers, json } as Answer;
  }

  get(path: string): Promise<Answer> {
    return this.call("GET", path);
  }

  post(path: string, body: unknown, drive?: string): Promise<Answer> {
    return this.call("POST", path, body, drive === undefined ? {} : { "x-drive-token": drive });
  }

  /** Opens a run; answers the way to drive it, through this server or another. */
  async open(run?: string): Promise<SharedRun> {
    const { json } = await this.post("/v1/client-runs", run === undefined ? {} : { run_id: run });
    return new SharedRun(json.run as string, json.drive_token as string);
  }
}

/** A run and a drive token of it: good at any server. */
export class SharedRun {
  constructor(
    readonly id: string,
    readonly token: string,
  ) {}

  post(at: SharedServer, endpoint: string, body: unknown): Promise<Answer> {
    return at.post(`/v1/client-runs/${this.id}/${endpoint}`, body, this.token);
  }

  event(at: SharedServer, seq: number, kind: string, payload: unknown): Promise<Answer> {
    const event = { run_id: this.id, seq, schema_version: 1, event: { kind, payload } };
    return this.post(at, "events", { events: [event] });
  }

  started(at: SharedServer): Promise<Answer> {
    return this.event(at, 0, "RunStarted", { agent_def_hash: "sha256:desk", input: {} });
  }

  intent(at: SharedServer, seq: number, tool: string, input: unknown): Promise<Answer> {
    return this.post(at, "client-tool-intent", { seq, tool, input });
  }

  complete(at: SharedServer, seq: number, output: unknown): Promise<Answer> {
    return this.post(at, "client-tool-completion", { seq, output });
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async log(at: SharedServer): Promise<any[]> {
    return (await at.get(`/v1/client-runs/${this.id}/log`)).json.log;
  }
}
