import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const SALVOR = fileURLToPath(import.meta.resolve("../../../dist/cli/main.js"));
const DECLARATIONS = fileURLToPath(import.meta.resolve("../declarations"));

/** A `salvor serve` of the story's own, with a token for who drives and another for who decides. */
export interface Server {
  readonly url: string;
  readonly token: string;
  readonly operatorToken: string;
  stop(): Promise<void>;
}

export async function startServer(dataFolder: string): Promise<Server> {
  const [token, operatorToken] = [randomBytes(24).toString("hex"), randomBytes(24).toString("hex")];
  const args = [
    ...[SALVOR, "serve", "--bind", "127.0.0.1:0", "--data", dataFolder, "--client-tool", DECLARATIONS],
    ...["--auth-token", "FLOW_TOKEN", "--operator-token", "FLOW_OPERATOR_TOKEN", "--log-level", "warn"],
  ];
  const env = { ...process.env, FLOW_TOKEN: token, FLOW_OPERATOR_TOKEN: operatorToken };
  const server = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(server, "close");
  const stop = async () => {
    server.kill();
    await ended;
  };
  for await (const line of createInterface({ input: server.stdout })) {
    const [, url] = /^salvor listening on (http:\S+)$/.exec(line) ?? [];
    if (url !== undefined) return { url, token, operatorToken, stop };
  }
  throw new Error("salvor serve ended before it listened");
}
