import { dirname, join } from "node:path";
import type { JsonObject, JsonValue } from "../contract/json.js";
import { JsonSyntaxError } from "../log/json-syntax-error.js";
import { parseJson } from "../log/parse-json.js";
import type { Finding } from "./finding.js";
import { FileRefused, readText } from "./read-text.js";

const KEYS = ["input_schema", "output_schema"] as const;

/** The declaration with its schema paths replaced by the schemas that stand there. */
export function readSchemaFiles(
  raw: JsonObject,
  file: string,
  findings: Finding[],
): { readonly raw: JsonObject; readonly schemaFiles: ReadonlyMap<string, string> } {
  const result = new Map<string, JsonValue>(Object.entries(raw));
  const schemaFiles = new Map<string, string>();
  for (const key of KEYS) {
    const pathKey = `${key}_path`;
    if (!Object.hasOwn(raw, pathKey)) continue;
    result.delete(pathKey);
    const name = raw[pathKey];
    const report = (what: string, advice: string) => {
      findings.push({ path: [pathKey], what, advice });
    };
    if (Object.hasOwn(raw, key)) report(`${key} and ${pathKey} are both given`, "keep one of them");
    else if (typeof name !== "string") report(`${pathKey} is not text`, `write "${key}.json"`);
    else if (!/^[^/\\:]+\.json$/.test(name))
      report(
        `${pathKey} is ${JSON.stringify(name)}`,
        "name a .json file in the folder of the declaration, without a path",
      );
    else {
      const path = join(dirname(file), name);
      try {
        result.set(key, parseJson(readText(path)));
        schemaFiles.set(key, path);
      } catch (error) {
        if (error instanceof FileRefused) report(`${pathKey}: ${path} ${error.problem}`, error.advice);
        else if (error instanceof JsonSyntaxError)
          report(`${pathKey}: ${path}: ${error.message}`, "correct the JSON");
        else throw error;
      }
    }
  }
  return { raw: Object.fromEntries(result), schemaFiles };
}
