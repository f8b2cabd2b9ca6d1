import { SalvorClient } from "../client/salvor-client.js";
import { SalvorError } from "../client/salvor-error.js";
import { TransportError, UnexpectedAnswerError } from "../client/transport-error.js";
import { BadRequestError } from "../client/wire-errors.js";
import { CliError } from "./cli-error.js";
import { DEFAULT_URL, type RemoteOptions } from "./help.js";
import { printable } from "./printable.js";
import { sameCommand } from "./shell-word.js";
import { readToken } from "./tokens.js";

/** A server that a verb speaks to. */
export interface Remote {
  readonly url: string;
  /** The options that reach the same server in the same role, to be put behind a command that is printed. */
  readonly flags: string;
  /**
   * Asks the server something.
   *
   * @param run the run that it is about, for the command to type next.
   * @throws {@link CliError} saying what the server said, or that none answered.
   */
  ask<T>(question: (client: SalvorClient) => Promise<T>, run?: string): Promise<T>;
  /** What {@link Remote.ask} throws for an error of the client; any other error as it is. */
  explain(error: unknown, run?: string): unknown;
  readonly client: SalvorClient;
}

/**
 * Prepares to speak to the server that the options name. Where both tokens are named, the client's reads and the
 * operator's decides.
 *
 * @throws {@link CliError} when a named variable is unset or empty.
 */
export function connect(options: RemoteOptions, { retries = 2 }: { readonly retries?: number } = {}): Remote {
  const token = readToken("--auth-token", options.authToken);
  const operatorToken = readToken("--operator-token", options.operatorToken);
  const client = new SalvorClient({
    url: options.url,
    ...(token !== undefined && { token }),
    ...(operatorToken !== undefined && { operatorToken }),
    // A person is waiting: a server that is being restarted is worth a second, not a minute.
    retries,
  });
  const flags = flagsOf(options);
  const explain = (error: unknown, run?: string): unknown =>
    error instanceof SalvorError ? explained(error, options.url, flags, run) : error;
  return {
    url: options.url,
    flags,
    client,
    explain,
    async ask(question, run) {
      try {
        return await question(client);
      } catch (error) {
        throw explain(error, run);
      }
    },
  };
}

/** Whether a request may have taken effect although its answer says nothing about it. */
export function mayHaveHappened(error: unknown): boolean {
  return (
    error instanceof TransportError ||
    (error instanceof SalvorError && error.status !== undefined && error.status >= 500)
  );
}

function flagsOf({ url, authToken, operatorToken }: RemoteOptions): string {
  return [
    ...(url === DEFAULT_URL ? [] : [` --url ${url}`]),
    ...(authToken === undefined ? [] : [` --auth-token ${authToken}`]),
    ...(operatorToken === undefined ? [] : [` --operator-token ${operatorToken}`]),
  ].join("");
}

function explained(error: SalvorError, url: string, flags: string, run: string | undefined): CliError {
  const look = run === undefined ? `salvor list${flags}` : `salvor history ${run}${flags}`;
  const failure = (message: string, next: string) => new CliError(message, { next, cause: error });
  if (error instanceof TransportError)
    return failure(
      `no answer from ${url}: ${printable(error.message)}`,
      "start a server with salvor serve, or name another one with --url",
    );
  if (error instanceof UnexpectedAnswerError)
    return failure(`${url}: ${printable(error.message)}`, "name a Salvor server with --url");
  const said = `the server at ${url} says ${error.code}: ${printable(error.message)}${violations(error)}`;
  switch (error.code) {
    case "unauthorized":
      return failure(said, sameCommand("--auth-token VAR"));
    case "operator_required":
      return failure(said, sameCommand("--operator-token VAR"));
    case "unknown_run":
      return failure(said, `salvor list${flags}`);
    default:
      return failure(said, look);
  }
}

function violations(error: SalvorError): string {
  if (!(error instanceof BadRequestError)) return "";
  return error.violations
    .map(({ path, message }) => `\n  ${printable(path)}: ${printable(message)}`)
    .join("");
}
