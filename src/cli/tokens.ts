import { CliError } from "./cli-error.js";

/** The name of the option that names a variable. */
export type TokenOption = "--auth-token" | "--operator-token";

/**
 * The secret that an environment variable holds, or `undefined` when no variable was named.
 *
 * @throws {@link CliError} naming the variable when it is unset or empty: running without the token that was asked for
 *   would be a guard that silently does not guard.
 */
export function readToken(
  option: TokenOption,
  variable: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  if (variable === undefined) return undefined;
  const secret = env[variable];
  if (secret !== undefined && secret !== "") return secret;
  throw new CliError(
    `${option} names the environment variable ${variable}, which is ${secret === undefined ? "not set" : "empty"}`,
    { next: `export ${variable}="$(openssl rand -hex 32)", or name another variable` },
  );
}
