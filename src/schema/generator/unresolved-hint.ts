import { ts } from "./typescript.js";

/** What to do about a name that leads nowhere, when it may be our package that cannot be found. */
export function unresolvedHint({ module, moduleResolution }: ts.CompilerOptions): string {
  const isOld =
    moduleResolution === ts.ModuleResolutionKind.Node10 ||
    moduleResolution === ts.ModuleResolutionKind.Classic ||
    (moduleResolution === undefined && module === ts.ModuleKind.CommonJS);
  if (!isOld) return "check the import and the name";
  const name = moduleResolution === ts.ModuleResolutionKind.Classic ? "classic" : 'node10 ("node")';
  return `"moduleResolution": "nodenext" or "bundler": ${name} cannot resolve the exports of packages`;
}
