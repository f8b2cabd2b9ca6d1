/** A date or a time in a TOML text, of any of its four kinds, kept apart from text. */
export class TomlDate {
  constructor(readonly text: string) {}
}

/** Stands in for `Temporal` in the TOML parser, which otherwise hands out local dates and times as plain text. */
export const TOML_DATES = {
  ZonedDateTime: { from: (text: string) => new TomlDate(text.replace(/\[.*\]$/, "")) },
  PlainDateTime: { from: (text: string) => new TomlDate(text) },
  PlainDate: { from: (text: string) => new TomlDate(text) },
  PlainTime: { from: (text: string) => new TomlDate(text) },
} as const;
