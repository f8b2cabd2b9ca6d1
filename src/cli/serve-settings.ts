import { bindText, isLoopback, resolveBind } from "./bind.js";
import { CliError } from "./cli-error.js";
import type { ServeOptions } from "./commands/serve.js";
import type { BindAddress } from "./option-parsers.js";
import type { Webhook } from "../server/notify/webhook.js";
import { sameCommand } from "./shell-word.js";
import { readToken } from "./tokens.js";

/** What a server is started with, once every option was judged. */
export interface ServeSettings {
  /** An IP address, never a name. */
  readonly bind: BindAddress;
  readonly clientToken?: string;
  readonly operatorToken?: string;
  readonly leaseTtlMs?: number;
  readonly webhook?: Webhook;
}

/** How long a silent driver counts as attached, in whole seconds. */
const LEASE_VARIABLE = "SALVOR_CLIENT_LEASE_TTL_SECS";

/**
 * Judges what does not need a file: tokens, address, lease time, webhook.
 *
 * @throws {@link CliError} for the first that a server must not start with.
 */
export async function serveSettings(
  options: Pick<ServeOptions, "authToken" | "bind" | "insecure" | "operatorToken"> & WebhookOptions,
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
  const webhook = webhookOf(options, env);
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
    ...(webhook !== undefined && { webhook }),
  };
}

type WebhookOptions = Pick<ServeOptions, "notifySecret" | "notifyWebhook">;

/** Where it is told that a run waits. Whoever hears it must be able to tell who said it, so there is no webhook without a secret. */
function webhookOf(
  { notifyWebhook: url, notifySecret }: WebhookOptions,
  env: NodeJS.ProcessEnv,
): Webhook | undefined {
  const secret = readToken("--notify-secret", notifySecret, env);
  if (url === undefined && secret === undefined) return undefined;
  if (url === undefined || secret === undefined)
    throw new CliError(
      url === undefined
        ? "--notify-secret signs what --notify-webhook sends, and no webhook is named"
        : "--notify-webhook sends nothing unsigned, and no secret is named",
      { next: sameCommand(url === undefined ? "--notify-webhook URL" : "--notify-secret VAR") },
    );
  return { url, secret };
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
