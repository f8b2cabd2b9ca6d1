import { ClientRun, SalvorClient } from "#salvor/client/index.js";
import { CuttingProxy } from "../../client/support/proxy.js";
import { World, toolsFor } from "../../client/support/tools.js";
import { spawnServer, type SpawnedServer } from "../../support/spawn-server.js";
import { toolFiles, type ToolFiles } from "../../support/tool-files.js";

/** The tool of each effect that a failure is tried on. */
export const TOOL_OF = { read: "find_order", idempotent: "reserve", write: "pay_out" } as const;

const SCHEMAS = `
[input_schema]
type = "object"
required = ["order_id", "amount_cents"]
additionalProperties = false
properties.order_id = { type = "string" }
properties.amount_cents = { type = "integer" }
[output_schema]
type = "object"
required = ["refund_id", "amount_cents"]
additionalProperties = false
properties.refund_id = { type = "string" }
properties.amount_cents = { type = "integer" }
`;

/** Every tool that a program of {@link toolsFor} has, as its operator declares it. */
const DECLARED = [
  ...Object.entries(TOOL_OF),
  ["write", "refund_card"] as const,
  ["write", "wire_out"] as const,
];

/** A real `salvor serve`, which can be killed and started again, and a line to it that can be cut. */
export class Desk {
  private constructor(
    private readonly files: ToolFiles,
    private server: SpawnedServer,
    readonly proxy: CuttingProxy,
  ) {}

  static async open(): Promise<Desk> {
    const files = await toolFiles();
    for (const [effect, name] of DECLARED) {
      const head = `name = "${name}"\neffect = "${effect}"\ntrust_completion = true\n`;
      await files.write(`${name}.toml`, head + SCHEMAS);
    }
    const server = await spawnServer({ args: ["--client-tool", files.folder] });
    const desk: Desk = new Desk(files, server, await CuttingProxy.start(() => desk.port));
    return desk;
  }

  private get port(): number {
    return Number(new URL(this.server.url).port);
  }

  /** A client whose line may be cut, and that gives up at once. */
  get cut(): SalvorClient {
    return new SalvorClient({ url: this.proxy.url, retries: 0 });
  }

  /** A client on a line of its own. */
  get direct(): SalvorClient {
    return new SalvorClient({ url: this.server.url });
  }

  /** SIGKILL, and another server on the same data. */
  async killServer(): Promise<void> {
    await this.server.kill();
    const { dataDir } = this.server;
    this.server = await spawnServer({ args: ["--client-tool", this.files.folder], dataDir });
  }

  async close(): Promise<void> {
    await this.proxy.close();
    await this.server.stop();
    await this.files.remove();
  }
}

/** One run of one program, which makes one call of one effect. */
export class Case {
  readonly world: World;
  readonly tool: string;
  readonly input = { order_id: "A-17", amount_cents: 500 };

  private constructor(
    readonly desk: Desk,
    effect: keyof typeof TOOL_OF,
    /** The program's first instance. */
    readonly first: ClientRun,
    world: World,
  ) {
    this.tool = TOOL_OF[effect];
    this.world = world;
  }

  static async open(desk: Desk, effect: keyof typeof TOOL_OF): Promise<Case> {
    const world = new World();
    const run = await ClientRun.open(desk.cut, toolsFor(world), { agentDefHash: "desk@1" });
    return new Case(desk, effect, run, world);
  }

  get runId(): string {
    return this.first.runId;
  }

  /** The same program in another process: it knows the run's id, and nothing else. */
  async again(): Promise<ClientRun> {
    return ClientRun.open(this.desk.cut, toolsFor(this.world), {
      runId: this.runId,
      agentDefHash: "desk@1",
    });
  }

  /** Makes the call; answers what it threw, if it did. */
  async attempt(run = this.first): Promise<unknown> {
    return run.perform(this.tool, this.input).then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  /** Has the intent recorded and nothing else, as by a process that dies right after it. */
  async intentOnly(): Promise<void> {
    const drive = { run: this.runId, driveToken: this.first.driveToken };
    await this.desk.direct.toolIntent(drive, { seq: 1, tool: this.tool, input: this.input });
  }
}
