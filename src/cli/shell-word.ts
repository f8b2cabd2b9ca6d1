/** A word as a shell reads it: quoted where it must be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The command line that runs right now, with more options behind it: what to type next. It holds names of variables, never
 * a token; the URL of a database, which may hold a password, is left out.
 */
export function sameCommand(more = "", args: readonly string[] = process.argv.slice(2)): string {
  return ["salvor", ...args.map((arg) => shellWord(withoutSecret(arg))), more].join(" ").trimEnd();
}

function withoutSecret(arg: string): string {
  return arg.replace(/^(--store=)?postgres(?:ql)?:.*$/s, "$1postgres://...");
}
