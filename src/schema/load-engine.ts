import { createRequire } from "node:module";
import type engines from "./engines.cjs";

type Engines = typeof engines;

const load = createRequire(import.meta.url);

/** One of the kept engines, loaded when it is first asked for: most programs need none to start, and a few need one. */
export function loadEngine<Name extends keyof Engines>(name: Name): ReturnType<Engines[Name]> {
  return (load("./engines.cjs") as Engines)[name]() as ReturnType<Engines[Name]>;
}
