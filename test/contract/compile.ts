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
  const { experimentalDecorators } = mode;
  const program = ts.createProgram([join(FIXTURES, fixture)], {
    ...OPTIONS,
    ...extra,
    experimentalDecorators,
  });
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
