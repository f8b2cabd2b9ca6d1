import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, describe, it } from "node:test";
import { readJsonArgument } from "#salvor/cli/json-argument.js";

describe("what --output says", () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), "salvor-output-"))));
  after(() => rm(folder, { recursive: true }));

  it("is JSON itself", async () => {
    assert.deepEqual(await readJsonArgument("--output", '{"id":"re_1"}'), { id: "re_1" });
    assert.equal(await readJsonArgument("--output", "null"), null);
  });

  it("is a file", async () => {
    const file = join(folder, "receipt.json");
    await writeFile(file, '{"id":"re_2"}\n');
    assert.deepEqual(await readJsonArgument("--output", `@${file}`), { id: "re_2" });
  });

  it("is standard input", async () => {
    assert.deepEqual(await readJsonArgument("--output", "-", Readable.from(['{"id":', '"re_3"}'])), {
      id: "re_3",
    });
  });

  for (const text of ["re_1", "", '{"a":1,"a":2}', '{"amount_cents":9007199254740993}'])
    it(`is not ${JSON.stringify(text)}`, async () => {
      await assert.rejects(readJsonArgument("--output", text), { name: "CliError", exitCode: 2 });
    });

  it("that is a missing file or no UTF-8 is refused by the file's name", async () => {
    await assert.rejects(readJsonArgument("--output", `@${join(folder, "none.json")}`), /none\.json/);
    const file = join(folder, "latin1.json");
    await writeFile(file, Buffer.from([0x22, 0xe9, 0x22]));
    await assert.rejects(readJsonArgument("--output", `@${file}`), /latin1\.json.*UTF-8/);
  });
});
