import type { WriteLayer } from "./write-layer.js";

/** A disk that can be looked at only: for those who read a folder that may be another process's. */
export function readOnly(layer: WriteLayer): WriteLayer {
  const refuse = (path: string): Promise<never> =>
    Promise.reject(new Error(`${path} was to be written by one who only reads`));
  return {
    read: (path) => layer.read(path),
    stat: (path) => layer.stat(path),
    list: (path) => layer.list(path),
    create: refuse,
    makeFolder: refuse,
    rename: refuse,
    link: refuse,
    unlink: refuse,
    syncFolder: refuse,
  };
}
