import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { SalvorClient } from "#salvor/client/index.js";
import { deskHandlers, scriptedTurn, type DeskHandlers, type Turn } from "./desk.js";
import { KillPoints } from "./kill-points.js";
import { Ledger } from "./ledger.js";

/** What a driven program is told by its parent, as its only argument. */
export interface ChildSetting {
  readonly url: string;
  readonly token: string;
  readonly runId: string;
  /** Where the ledger is, and whatever the program wants to find again. */
  readonly folder: string;
  /** Dies at this place ({@link KillPoints}). */
  readonly killAt?: number;
  /** How often a program has gone on with this run before. */
  readonly attempt: number;
  /** Which of its ways the program takes: any number, as the parent likes. */
  readonly way: number;
}

/** How a program ended, when it was not killed: the last line that it writes. */
export type ChildEnd =
  | { readonly end: "done"; readonly output: unknown }
  /** A person has to act at this position. */
  | { readonly end: "waiting"; readonly seq: number };

/** What the child process of a kill test works with: the desk's tools, a client that dies on time, and a scripted model. */
export class DeskChild {
  readonly client: SalvorClient;
  readonly handlers: DeskHandlers;
  readonly points: KillPoints;

  private constructor(readonly setting: ChildSetting) {
    const { url, token, folder, killAt } = setting;
    this.points = new KillPoints(folder, killAt);
    this.client = new SalvorClient({ url, token, fetch: this.points.fetch });
    this.handlers = deskHandlers(new Ledger(folder), (tool) => {
      this.points.pass(`effect of ${tool}`);
    });
  }

  /** Runs a program in this process, and says how it ended. */
  static async run(program: (child: DeskChild) => Promise<ChildEnd>): Promise<void> {
    const child = new DeskChild(JSON.parse(process.argv[2] ?? "") as ChildSetting);
    console.log(JSON.stringify(await program(child)));
  }

  /** What `ClientRun.open` and `AgentRun.open` take for the desk's run. */
  get options() {
    return { runId: this.setting.runId, agentDefHash: "desk@1", input: { ticket: 7 } };
  }

  /** The scripted model is asked, behind so many results of tools. */
  turn(results: number): Turn {
    appendFileSync(askedFile(this.setting.folder), `${results}\n`);
    this.points.pass(`model asked behind ${results} results`);
    return scriptedTurn(results);
  }
}

/** Where each request that reached the model is written down. */
export function askedFile(folder: string): string {
  return join(folder, "asked.txt");
}
