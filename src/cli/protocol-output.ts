import type { Write } from "../mcp/server/stdio-transport.js";

/**
 * Takes standard output for a protocol: whatever else this process prints from now on goes to standard error, so that a
 * `console.log` in a tool cannot be taken for a message.
 *
 * @returns the only way to write to standard output.
 */
export function takeOutput(): Write {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return (text, done) => void write(text, done);
}
