import { anthropicExecutor, type ModelExecutor } from "../server/index.js";
import { CliError } from "./cli-error.js";

const KEY_VARIABLE = "ANTHROPIC_API_KEY";
const URL_VARIABLE = "SALVOR_MODEL_BASE_URL";

/**
 * What calls models for the runs of a server, or `undefined` when the environment names no key for it.
 *
 * @throws {@link CliError} naming the variable that is set and cannot be used.
 */
export function modelExecutorOf(env: NodeJS.ProcessEnv = process.env): ModelExecutor | undefined {
  const apiKey = usableKey(env);
  const baseUrl = usableUrl(env);
  if (apiKey === undefined) return undefined;
  return anthropicExecutor({ apiKey, ...(baseUrl !== undefined && { baseUrl }) });
}

function usableKey(env: NodeJS.ProcessEnv): string | undefined {
  const key = env[KEY_VARIABLE];
  if (key === undefined || /^[\x21-\x7e]+$/.test(key)) return key;
  const found = key === "" ? "is set and empty" : "holds a character that no HTTP header carries";
  throw new CliError(`the environment variable ${KEY_VARIABLE} ${found}`, {
    next: `unset ${KEY_VARIABLE}, which starts a server that calls no models, or set it to a key`,
  });
}

function usableUrl(env: NodeJS.ProcessEnv): string | undefined {
  const text = env[URL_VARIABLE];
  if (text === undefined) return undefined;
  const refuse = (problem: string): never => {
    // It may hold a secret, so it is not repeated.
    throw new CliError(`the environment variable ${URL_VARIABLE} ${problem}`, {
      next: `unset ${URL_VARIABLE}, or export ${URL_VARIABLE}=https://api.anthropic.com`,
    });
  };
  if (text === "") return refuse("is set and empty");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") return refuse("is no http or https URL");
  if (url.username !== "" || url.password !== "") return refuse("holds a user or a password; leave it out");
  if (url.search !== "" || url.hash !== "") return refuse("has a query or a fragment; leave it out");
  return text.replace(/\/+$/, "");
}
