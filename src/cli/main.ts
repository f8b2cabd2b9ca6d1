#!/usr/bin/env node
import { runCli } from "./program.js";

// A reader that went away (`salvor list | head -1`) is no error of ours, and must never end a server.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

await runCli(process.argv.slice(2));
