import { SalvorClient } from "#salvor/client/index.js";
import type { SpawnedServer } from "./spawn-server.js";

/** A run on a spawned server, driven by hand. */
export class RunOf {
  private constructor(
    private readonly url: string,
    readonly id: string,
    private readonly token: string,
  ) {}

  static async open({ url }: SpawnedServer): Promise<RunOf> {
    const { run, drive_token } = await new SalvorClient({ url }).openRun({});
    const opened = new RunOf(url, run, drive_token);
    const payload = { agent_def_hash: "sha256:a", input: null };
    await opened.post("events", {
      events: [{ run_id: run, seq: 0, schema_version: 1, event: { kind: "RunStarted", payload } }],
    });
    return opened;
  }

  /** The same run on the server that has taken the place of a killed one. */
  on({ url }: SpawnedServer): RunOf {
    return new RunOf(url, this.id, this.token);
  }

  step(seq: number, tool: string, input: unknown = {}): Promise<unknown> {
    return this.post("tool-step", { seq, tool, input });
  }

  /** What the server answers, or the code of its error. */
  async post(endpoint: string, body: unknown): Promise<unknown> {
    const response = await fetch(`${this.url}/v1/client-runs/${this.id}/${endpoint}`, {
      method: "POST",
      headers: { "x-drive-token": this.token },
      body: JSON.stringify(body),
    });
    const json = (await response.json()) as { error?: { code: string } };
    return json.error?.code ?? json;
  }

  async status(): Promise<unknown> {
    const response = await fetch(`${this.url}/v1/runs/${this.id}`);
    return ((await response.json()) as { status: unknown }).status;
  }
}
