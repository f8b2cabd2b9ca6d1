import type { PublishedTool } from "../declarations/index.js";
import type { ServeOptions } from "./commands/serve.js";
import { DEFAULT_URL } from "./help.js";
import type { Output } from "./terminal.js";

/** The tools of a server: those that its clients perform, and those that it performs itself. */
export interface ServedTools {
  readonly declared: readonly PublishedTool[];
  readonly hosted?: readonly Pick<PublishedTool, "name" | "effect">[] | undefined;
}

/** Says where a server listens, what it serves, and what to try next. The first line is for scripts too. */
export function announce(
  output: Output,
  url: string,
  options: ServeOptions & { readonly place: string; readonly passwordShown: boolean },
  { declared, hosted }: ServedTools,
): void {
  const width = Math.max(0, ...[...declared, ...(hosted ?? [])].map((tool) => tool.name.length));
  const line = ({ name, effect }: Pick<PublishedTool, "name" | "effect">, what: string): string =>
    `  ${output.paint("bold", name.padEnd(width))}  ${effect.padEnd(10)}  ${what}`;
  const lines = [
    `salvor listening on ${url}`,
    "",
    declared.length === 0
      ? "No client tools are declared: start with --client-tool FILE to serve one."
      : `${count(declared, "client")}:`,
    ...declared.map((tool) => line(tool, closing(tool))),
    ...(hosted === undefined ? [] : [`${count(hosted, "hosted")}:`]),
    ...(hosted ?? []).map((tool) => line(tool, "this server performs it")),
    `Logs live in ${options.place}`,
    ...(options.passwordShown ? [`${output.paint("yellow", "Warning:")} ${PASSWORD_SHOWN}`] : []),
    ...(options.operatorToken === undefined
      ? [`${output.paint("yellow", "Warning:")} ${TRUSTED_CLIENTS}`]
      : []),
    "",
    `What waits for a person is at ${localUrl(url)}/, for a browser.`,
    "",
    "Try next:",
    ...nextCommands(localUrl(url), options).map((line) => `  $ ${line}`),
    "  docs/cli.md, docs/declarations.md and docs/http-api.md in the package tell the rest",
  ];
  // One write, so that whoever waits for the first line has the rest as well.
  output.line(lines.join("\n"));
}

const PASSWORD_SHOWN =
  "everybody on this machine can read the database's password in the list of processes. --store-env VAR hides it.";

function count(tools: readonly unknown[], kind: string): string {
  return `${tools.length} ${kind} ${tools.length === 1 ? "tool" : "tools"}`;
}

const TRUSTED_CLIENTS =
  "clients are trusted as operators: each may settle, resume and abandon. --operator-token VAR ends that.";

function closing(tool: PublishedTool): string {
  if (tool.output_schema === undefined) return "a person settles every call: it has no output_schema";
  return tool.trust_completion
    ? "the client may close a call"
    : "a person settles every call: trust_completion = false";
}

/** An address that stands for all of this machine's is listened on, but not spoken to. */
function localUrl(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

/** How the reader would call this command: in a checkout that `npm start` serves, it is on nobody's path. */
function command(): string {
  return process.env["npm_lifecycle_event"] === "start" ? "npx --no-install salvor" : "salvor";
}

function nextCommands(url: string, { authToken, operatorToken }: ServeOptions): readonly string[] {
  const variable = authToken ?? operatorToken;
  const bearer = authToken === undefined ? "" : ` -H "Authorization: Bearer $${authToken}"`;
  const flags = [
    ...(url === DEFAULT_URL ? [] : [` --url ${url}`]),
    ...(variable === undefined
      ? []
      : [` ${authToken === undefined ? "--operator-token" : "--auth-token"} ${variable}`]),
  ].join("");
  return [`curl${bearer} ${url}/v1/client-tools`, `${command()} list${flags}`];
}
