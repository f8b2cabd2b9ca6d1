/** What a server was given in confidence, and must not be read in what is told of it. */
export interface Secrets {
  /** A text with the name of each secret in its place. */
  readonly hide: (text: string) => string;
  /** How long the longest of them is, in characters. */
  readonly longest: number;
}

/** What is shorter is no secret, and stands in too many words. */
const SHORTEST = 8;

/**
 * @param named the values, each by the name that is shown in its place: a header's, or a variable's. Of a value of several words,
 *   such as `Bearer TOKEN`, each long word is one as well.
 */
export function secretsOf(named: Readonly<Record<string, string>>): Secrets {
  const shown = new Map<string, string>();
  for (const [name, value] of Object.entries(named)) {
    for (const secret of [value, ...value.split(/\s+/)]) {
      if (secret.length < SHORTEST) continue;
      for (const form of [
        secret,
        JSON.stringify(secret).slice(1, -1),
        encodeURIComponent(secret.toWellFormed()),
      ])
        shown.set(form, `[${name}]`);
    }
  }
  // The longest first: one may hold another.
  const forms = [...shown].sort(([a], [b]) => b.length - a.length);
  return {
    hide: (text) => forms.reduce((rest, [form, name]) => rest.replaceAll(form, () => name), text),
    longest: forms[0]?.[0].length ?? 0,
  };
}

export const NO_SECRETS = secretsOf({});
