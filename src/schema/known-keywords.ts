import { metaAjv } from "./ajv-instance.js";
import type { Dialect } from "./dialect.js";

/** The keywords that a dialect has, with those of OpenAPI that ajv understands (`discriminator`, `nullable`). */
export function knownKeywords(dialect: Dialect): ReadonlySet<string> {
  const keywords = new Set(Object.keys(metaAjv(dialect).RULES.keywords));
  // ajv knows it only to say that it means nothing any more.
  keywords.delete("id");
  return keywords;
}
