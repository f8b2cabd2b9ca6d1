import { join } from "node:path";
import ts from "typescript";

/** The folder of fixtures, as sources: they are compiled by the tests, not with them. */
export const FIXTURES = join(import.meta.dirname, "../../../test/contract/fixtures");

/** Both decorator protocols that TypeScript compiles. */
export const MODES = [
  { name: "standard decorators", experimentalDecorators: false },
  { name: "legacy decorators", experimentalDecorators: true },
] as const;

export type Mode = (typeof MODES)[number];

const OPTIONS: ts.CompilerOptions = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  resolveJsonModule: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ["node"],
};

export interface Finding {
  readonly line: number;
  readonly message: string;
}

/** What the compiler says of a fixture, by line (from 1). */
export function findingsOf(fixture: string, mode: Mode, extra: ts.CompilerOptions = {}): readonly Finding[] {
  return findings(join(FIXTURES, fixture), mode, extra);
}

/** What the compiler says of a text, as if it were a fixture. */
export function findingsOfText(text: string, mode: Mode): readonly Finding[] {
  const path = join(FIXTURES, "text.ts");
  return findings(path, mode, {}, (host) => ({
    ...host,
    fileExists: (file) => file === path || host.fileExists(file),
    readFile: (file) => (file === path ? text : host.readFile(file)),
    getSourceFile: (file, version) =>
      file === path ? ts.createSourceFile(file, text, version) : host.getSourceFile(file, version),
  }));
}

function findings(
  path: string,
  { experimentalDecorators }: Mode,
  extra: ts.CompilerOptions,
  hostOf: (host: ts.CompilerHost) => ts.CompilerHost = (host) => host,
): readonly Finding[] {
  const options = { ...OPTIONS, ...extra, experimentalDecorators };
  const program = ts.createProgram([path], options, hostOf(ts.createCompilerHost(options)));
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => ({
    line: file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1,
    message: ts.flattenDiagnosticMessageText(messageText, "\n"),
  }));
}

/** The JavaScript of a fixture, with its import of this package pointed at the build. */
export function javascriptOf(source: string, { experimentalDecorators }: Mode): string {
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, experimentalDecorators },
  });
  return outputText.replaceAll('"salvor"', JSON.stringify(import.meta.resolve("#salvor/index.js")));
}
