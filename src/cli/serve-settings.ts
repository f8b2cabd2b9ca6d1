import { bindText, isLoopback, resolveBind } from "./bind.js";
import { CliError } from "./cli-error.js";
import type { ServeOptions } from "./commands/serve.js";
import type { BindAddress } from "./option-parsers.js";
import { sameCommand } from "./shell-word.js";
import { readToken } from "./tokens.js";

/** What a server is started with, once every option was judged. */
export interface ServeSettings {
  /** An IP address, never a name. */
  readonly bind: BindAddress;
  readonly clientToken?: string;
  readonly operatorToken?: string;
  readonly leaseTtlMs?: number;
}

/** How long a silent driver counts as attached, in whole seconds. */
const LEASE_VARIABLE = "SALVOR_CLIENT_LEASE_TTL_SECS";

/**
 * Judges what does not need a file: tokens, address, lease time.
 *
 * @throws {@link CliError} for the first that a server must not start with.
 */
export async function serveSettings(
  options: Pick<ServeOptions, "authToken" | "bind" | "insecure" | "operatorToken">,
  env: NodeJS.ProcessEnv = process.env,
): Promise<ServeSettings> {
  const clientToken = readToken("--auth-token", options.authToken, env);
  const operatorToken = readToken("--operator-token", options.operatorToken, env);
  if (clientToken !== undefined && clientToken === operatorToken)
    throw new CliError(
      `${options.authToken ?? ""} and ${options.operatorToken ?? ""} hold the same token, so every client would be an operator`,
      { next: `export ${options.operatorToken ?? ""}="$(openssl rand -hex 32)"` },
    );
  const leaseTtlMs = leaseTtl(env);
  const bind = await resolveBind(options.bind);
  if (!isLoopback(bind.host) && clientToken === undefined && options.insecure !== true)
    throw new CliError(`${bindText(bind)} can be reached by others, and no client token is asked for`, {
      next: sameCommand("--auth-token VAR, or with --insecure if everybody there may drive runs"),
    });
  return {
    bind,
    ...(clientToken !== undefined && { clientToken }),
    ...(operatorToken !== undefined && { operatorToken }),
    ...(leaseTtlMs !== undefined && { leaseTtlMs }),
  };
}

function leaseTtl(env: NodeJS.ProcessEnv): number | undefined {
  const text = env[LEASE_VARIABLE];
  if (text === undefined || text === "") return undefined;
  const seconds = Number(text);
  if (/^\d{1,7}$/.test(text) && seconds >= 1) return seconds * 1000;
  throw new CliError(
    `${LEASE_VARIABLE} is ${JSON.stringify(text)}, not a whole number of seconds from 1 on`,
    {
      next: `export ${LEASE_VARIABLE}=60`,
    },
  );
}
