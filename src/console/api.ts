import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { SalvorClient } from "../client/salvor-client.js";
import { TransportError } from "../client/transport-error.js";
import { OperatorRequiredError, UnauthorizedError, UnavailableError } from "../client/wire-errors.js";
import { connection } from "./connection.js";

/** Why a token is asked for: none was given, or the one that was given is none or not enough. */
export type TokenNeed = "missing" | "refused" | "operator";

/** How the views reach the server that the page came from. */
export interface Api {
  readonly client: SalvorClient;
  /** The token that requests carry; none where the server has none. */
  readonly token: string | undefined;
  /** Asks for a token. What was typed elsewhere stays. */
  readonly askToken: (need: TokenNeed) => void;
}

const Context = createContext<Api | undefined>(undefined);
export const ApiProvider = Context.Provider;

export function useApi(): Api {
  const api = useContext(Context);
  if (api === undefined) throw new TypeError("no view is outside of the page");
  return api;
}

/** A client of this server. The page itself asks again, and says so, when an answer is lost. */
export function clientOf(token: string | undefined): SalvorClient {
  return new SalvorClient({ url: location.origin, token, retries: 0, timeoutMs: 15_000 });
}

/**
 * Tells what a failed request means for the whole page: the connection, or the token.
 *
 * @returns whether it was about one of them, and not about what was asked.
 */
export function isAboutAccess(error: unknown, { token, askToken }: Api): boolean {
  if (error instanceof TransportError) {
    connection.lost();
    return true;
  }
  if (error instanceof UnavailableError) {
    if (error.code === "shutting_down") connection.lost();
    return error.code === "shutting_down";
  }
  connection.answered();
  if (error instanceof UnauthorizedError) {
    askToken(token === undefined ? "missing" : "refused");
    return true;
  }
  if (error instanceof OperatorRequiredError) {
    askToken("operator");
    return true;
  }
  return false;
}

/** An error in the words that a person reads. */
export function wordsOf(error: unknown): string {
  if (error instanceof TransportError) return "The server does not answer.";
  if (error instanceof UnauthorizedError)
    return "This is read with a token. “Token…”, at the top of the page, asks for it again.";
  if (error instanceof OperatorRequiredError) return "Only the operator does this.";
  if (error instanceof UnavailableError)
    return "The server cannot answer at the moment; this page asks again by itself.";
  return error instanceof Error ? error.message : String(error);
}
