import { CliError } from "./cli-error.js";

/** The name of the option that names a variable. */
export type TokenOption = "--auth-token" | "--client-tools-token" | "--operator-token" | "--notify-secret";

/**
 * The secret that an environment variable holds, or `undefined` when no variable was named.
 *
 * @throws {@link CliError} naming the variable when it is unset, empty or unusable: running without the token that was asked for
 *   would be a guard that silently does not guard.
 */
export function readToken(
  option: TokenOption,
  variable: string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  if (variable === undefined) return undefined;
  const secret = env[variable];
  const next = `export ${variable}="$(openssl rand -hex 32)", or name another variable`;
  // A header carries visible ASCII: any other token could never be presented, and a stray newline is easily read from a file.
  if (secret !== undefined && /[^\x21-\x7e]/.test(secret))
    throw new CliError(
      `the environment variable ${variable} holds a space, a line break or another character that no HTTP header carries`,
      { next },
    );
  if (secret !== undefined && secret !== "") return secret;
  throw new CliError(
    `${option} names the environment variable ${variable}, which is ${secret === undefined ? "not set" : "empty"}`,
    { next },
  );
}
