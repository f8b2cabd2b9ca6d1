import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AuthorProject } from "../support/author-project.js";
import { spawnServer, type SpawnedServer } from "../support/spawn-server.js";
import { readPage } from "./pages.js";
import { commandsIn, filesIn, runIn } from "./project-page.js";

const page = readPage("docs/ten-minutes.md");
const INSTALLED = { "@types/node": "@types/node", "undici-types": "undici-types", typescript: "typescript" };

describe("docs/ten-minutes.md", () => {
  it("goes from a plain tool to a durable one, each step as it says", async () => {
    using project = new AuthorProject(INSTALLED);
    let server: SpawnedServer | undefined;
    let commands = 0;
    try {
      for (const step of page.text.split(/^## /m)) {
        for (const [name, text] of filesIn(step)) project.write(name, text);
        for (const { command, prints } of commandsIn(step)) {
          const printed = await runIn(project, command, { SALVOR_URL: server?.url });
          if (prints !== "" || !command.startsWith("npx tsc")) assert.equal(printed, prints, command);
          commands += 1;
        }
        if (/^```sh\nnpx salvor serve /m.test(step)) {
          server = await spawnServer({ args: ["--client-tool", "declarations"], cwd: project.folder });
        }
      }
      assert.ok(commands >= 14);
    } finally {
      await server?.stop();
    }
  });
});
