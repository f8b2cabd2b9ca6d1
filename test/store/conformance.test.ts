import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  openLowdbStore,
  storeConformance,
  type EventStore,
  type StoreUnderTest,
} from "#salvor/store/index.js";

async function makeStore(): Promise<StoreUnderTest> {
  const dir = await mkdtemp(join(tmpdir(), "salvor-store-"));
  let current: EventStore = await openLowdbStore({ dir });
  const first = current;
  const reopen = async (): Promise<EventStore> => {
    await current.close();
    current = await openLowdbStore({ dir });
    return current;
  };
  return {
    store: first,
    reopen,
    tamper: async (run) => {
      await current.close();
      const file = join(dir, "runs", run.slice(0, 2), `${run}.json`);
      await writeFile(file, (await readFile(file, "utf8")).replace('"now":"now"', '"now":"NOW"'));
      current = await openLowdbStore({ dir });
      return current;
    },
    holdsText: async (text) => {
      for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        if ((await readFile(join(entry.parentPath, entry.name), "utf8")).includes(text)) return true;
      }
      return false;
    },
    dispose: async () => {
      await current.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

describe("the lowdb store keeps what the port promises", () => {
  for (const { name, run } of storeConformance(makeStore)) it(name, run);
});
