import assert from "node:assert/strict";

export interface Access {
  readonly url: string;
  /** The client token, where the server has one. */
  readonly token?: string | undefined;
}

interface StartOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly input?: unknown;
}

/** A run as its driver sees it, over HTTP: what a person is asked about later. */
export class DrivenRun {
  #next = 0;
  private constructor(
    readonly access: Access,
    readonly id: string,
    private readonly drive: string,
  ) {}

  static async start(access: Access, { labels, input = null }: StartOptions = {}): Promise<DrivenRun> {
    const opened = await post(access, "/v1/client-runs", {});
    const run = new DrivenRun(access, opened.run as string, opened.drive_token as string);
    await run.event("RunStarted", {
      agent_def_hash: "desk@1",
      input,
      ...(labels !== undefined && { labels }),
    });
    return run;
  }

  async event(kind: string, payload: unknown): Promise<void> {
    const envelope = {
      run_id: this.id,
      seq: this.#next,
      schema_version: 1,
      recorded_at: "",
      event: { kind, payload },
    };
    await this.#post("events", { events: [envelope] });
    this.#next += 1;
  }

  /** Records an intent; answers its key. */
  async intent(tool: string, input: unknown): Promise<string | null> {
    const { idempotency_key: key } = await this.#post("client-tool-intent", { seq: this.#next, tool, input });
    this.#next += 1;
    return key as string | null;
  }

  /** Reports on the open call; answers the status of the answer. */
  async report(output: unknown): Promise<number> {
    const seq = this.#next - 1;
    const { status } = await ask(
      this.access,
      `/v1/client-runs/${this.id}/client-tool-completion`,
      { seq, output },
      this.drive,
    );
    if (status === 200) this.#next += 1;
    return status;
  }

  /** Goes on behind a position that a person filled. */
  wasSettled(): this {
    this.#next += 1;
    return this;
  }

  /** Posts a text as it is, for what JSON.stringify cannot write. */
  async raw(verb: string, body: string): Promise<void> {
    const answer = await fetch(`${this.access.url}/v1/client-runs/${this.id}/${verb}`, {
      method: "POST",
      headers: { ...headersOf(this.access), "x-drive-token": this.drive },
      body,
    });
    assert.equal(answer.status, 200, await answer.text());
  }

  /** What is recorded. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async log(): Promise<any[]> {
    const answer = await fetch(`${this.access.url}/v1/client-runs/${this.id}/log`, {
      headers: headersOf(this.access),
    });
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    return ((await answer.json()) as { log: any[] }).log;
  }

  #post(verb: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
    return post(this.access, `/v1/client-runs/${this.id}/${verb}`, body, this.drive);
  }
}

/** Posts, and holds that it was taken. */
export async function post(
  access: Access,
  path: string,
  body: unknown,
  drive?: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, json } = await ask(access, path, body, drive);
  assert.ok(status < 300, `${path} was answered ${status}: ${JSON.stringify(json)}`);
  return json;
}

async function ask(access: Access, path: string, body: unknown, drive?: string) {
  const answer = await fetch(access.url + path, {
    method: "POST",
    headers: { ...headersOf(access), ...(drive !== undefined && { "x-drive-token": drive }) },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: (await answer.json()) as Readonly<Record<string, unknown>> };
}

function headersOf({ token }: Access): Readonly<Record<string, string>> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
