// A process that takes a folder, says whether it has it, and keeps it until it is told to go. Started by lock.test.ts.
import { writeSync } from "node:fs";
import { openLowdbStore } from "#salvor/store/index.js";

const [dir = ""] = process.argv.slice(2);
try {
  const store = await openLowdbStore({ dir });
  writeSync(1, "holds\n");
  process.stdin.resume().once("end", () => {
    void store.close();
  });
} catch (error) {
  writeSync(1, `${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`);
}
