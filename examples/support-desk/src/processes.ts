import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SALVOR = fileURLToPath(import.meta.resolve("../../../dist/cli/main.js"));
const DECLARATIONS = fileURLToPath(import.meta.resolve("../declarations"));
const DESK = fileURLToPath(import.meta.resolve("./desk.js"));

/** A process of the story that listens. */
export interface Listening {
  readonly url: string;
  /** Resolves when it has ended, with the signal that ended it, if one did. */
  readonly ended: Promise<NodeJS.Signals | null>;
  stop(): Promise<void>;
}

export interface Salvor extends Listening {
  readonly token: string;
  readonly operatorToken: string;
}

/** A `salvor serve` of the story's own, with a token for who drives and another for who decides. */
export async function startSalvor(folder: string): Promise<Salvor> {
  const [token, operatorToken] = [randomBytes(24).toString("hex"), randomBytes(24).toString("hex")];
  const args = [
    ...[SALVOR, "serve", "--bind", "127.0.0.1:0", "--data", join(folder, "salvor")],
    ...["--client-tool", DECLARATIONS, "--log-level", "warn"],
    ...["--auth-token", "DESK_TOKEN", "--operator-token", "DESK_OPERATOR_TOKEN"],
  ];
  const env = { DESK_TOKEN: token, DESK_OPERATOR_TOKEN: operatorToken };
  const server = await listening(args, env, /^salvor listening on (http:\S+)$/);
  return { ...server, token, operatorToken };
}

/** A desk; one that is to die does so behind its next payment. */
export async function startDesk(folder: string, salvor: Salvor, mode?: "die"): Promise<Listening> {
  const args = [DESK, folder, ...(mode === undefined ? [] : [mode])];
  const desk = await listening(args, { SALVOR_URL: salvor.url, SALVOR_TOKEN: salvor.token }, /^(\d+)$/);
  return { ...desk, url: `http://127.0.0.1:${desk.url}` };
}

async function listening(args: readonly string[], env: NodeJS.ProcessEnv, says: RegExp): Promise<Listening> {
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close").then(([, signal]) => signal as NodeJS.Signals | null);
  const stop = async () => {
    child.kill();
    await ended;
  };
  if (child.stdout !== null) {
    for await (const line of createInterface({ input: child.stdout })) {
      const [, url] = says.exec(line) ?? [];
      if (url !== undefined) return { url, ended, stop };
    }
  }
  throw new Error(`${args.join(" ")} ended before it listened`);
}
