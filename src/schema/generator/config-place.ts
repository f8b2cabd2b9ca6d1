import { dirname, resolve } from "node:path";
import { ts } from "./typescript.js";
import { memberOf, stringsOf } from "./later-options.js";

/** A diagnostic of a tsconfig.json with a place in the file: the compiler leaves a few without one. */
export function placed(
  diagnostic: ts.Diagnostic,
  file: string,
  texts: ReadonlyMap<string, string>,
): ts.Diagnostic {
  if (diagnostic.file !== undefined) return diagnostic;
  const related = diagnostic.relatedInformation?.find((one) => one.file !== undefined);
  if (related !== undefined) {
    return { ...diagnostic, file: related.file, start: related.start, length: related.length };
  }
  const missing = diagnostic.code === CANNOT_READ ? quoted(diagnostic) : undefined;
  const extending = missing === undefined ? undefined : extendsOf(missing, texts);
  if (extending !== undefined) return { ...diagnostic, ...extending };
  const text = texts.get(file);
  if (text === undefined) return diagnostic;
  const source = ts.parseJsonText(file, text);
  const [statement] = source.statements;
  const include = diagnostic.code === NO_INPUTS ? memberOf(statement?.expression, "include") : undefined;
  return { ...diagnostic, ...spot(source, include ?? statement ?? source) };
}

const CANNOT_READ = 5083;
const NO_INPUTS = 18003;

function quoted({ messageText }: ts.Diagnostic): string | undefined {
  return /'([^']+)'/.exec(ts.flattenDiagnosticMessageText(messageText, "\n"))?.[1];
}

/** Where a file that cannot be read is extended. */
function extendsOf(missing: string, texts: ReadonlyMap<string, string>): Spot | undefined {
  for (const [name, text] of texts) {
    const source = ts.parseJsonText(name, text);
    for (const node of stringsOf(memberOf(source.statements[0]?.expression, "extends"))) {
      const path = resolve(dirname(name), node.text);
      if ([path, `${path}.json`].includes(resolve(missing))) return spot(source, node);
    }
  }
  return undefined;
}

interface Spot {
  readonly file: ts.SourceFile;
  readonly start: number;
  readonly length: number;
}

function spot(file: ts.SourceFile, node: ts.Node): Spot {
  const start = node.getStart(file);
  return { file, start, length: node.getEnd() - start };
}
