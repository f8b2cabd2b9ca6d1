import { spawn } from "node:child_process";

/** Runs a script with this node, sharing the terminal; resolves to its exit code. Ctrl-C is the child's to answer. */
export function runNode(script, args, { cwd, node = process.execPath, env = process.env } = {}) {
  return new Promise((done, fail) => {
    const ignore = () => undefined;
    process.on("SIGINT", ignore);
    const child = spawn(node, [script, ...args], { cwd, env, stdio: "inherit" });
    child.once("error", fail);
    child.once("close", (code, signal) => {
      process.off("SIGINT", ignore);
      done(signal === null ? code : 1);
    });
  });
}
