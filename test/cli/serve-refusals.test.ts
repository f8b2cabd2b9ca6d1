import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runSalvor, type Finished } from "../support/run-salvor.js";
import { BANK_PAYOUT, REFUND_CARD, toolFiles, type ToolFiles } from "../support/tool-files.js";

let files: ToolFiles;
// A port that is taken: a server that tried to bind before it judged would say so instead of what is asserted here.
let taken: Server;

before(async () => {
  files = await toolFiles();
  taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
});
after(async () => {
  taken.close();
  await files.remove();
});

async function serve(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  const data = join(files.folder, "data");
  const bind = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
  const finished = await runSalvor(["serve", "--bind", bind, "--data", data, ...args], { env });
  assert.equal(finished.stdout, "");
  assert.doesNotMatch(finished.stderr, /\n {4}at /);
  assert.equal(existsSync(data), false, "a refused server makes no folder");
  return finished;
}

describe("a declaration at fault is refused before the port is bound", () => {
  const faults: readonly (readonly [what: string, text: string, ...said: readonly RegExp[]])[] = [
    [
      "a misspelled key",
      REFUND_CARD.replace("trust_completion", "trust_compltion"),
      /trust_compltion/,
      /did you mean.*trust_completion/i,
    ],
    [
      "a schema that does not compile",
      REFUND_CARD.replace('type = "integer"', 'type = "dict"'),
      /input_schema.*amount_cents/,
      /dict/,
    ],
    [
      "a pinned field that the output lacks",
      REFUND_CARD.replace('["refund_id", "amount_cents"]', '["refund_id"]'),
      /require_equal/,
      /amount_cents/,
      /output_schema/,
    ],
    ["a date in a schema", REFUND_CARD.replace('type = "string"', "const = 2026-01-31"), /date/i, /order_id/],
  ];
  for (const [what, text, ...said] of faults)
    it(what, async () => {
      const file = await files.write("faulty.toml", text);
      const { code, stderr } = await serve(["--client-tool", file]);
      assert.equal(code, 1);
      for (const pattern of [/faulty\.toml/, ...said]) assert.match(stderr, pattern);
      assert.match(stderr, /\nNext: salvor check /);
    });

  it("two files with one name, both of which are named", async () => {
    const one = await files.write("one.toml", REFUND_CARD);
    const two = await files.write("two.toml", REFUND_CARD);
    const { code, stderr } = await serve(["--client-tool", one, "--client-tool", two]);
    assert.equal(code, 1);
    assert.match(stderr, /refund_card/);
    assert.match(stderr, /one\.toml/);
    assert.match(stderr, /two\.toml/);
  });

  it("every faulty file in one report", async () => {
    const one = await files.write("bad-effect.toml", REFUND_CARD.replace('"write"', '"maybe"'));
    const two = await files.write("bad-name.toml", BANK_PAYOUT.replace('"bank_payout"', '"bank payout"'));
    const { code, stderr } = await serve(["--client-tool", one, "--client-tool", two]);
    assert.equal(code, 1);
    assert.match(stderr, /bad-effect\.toml/);
    assert.match(stderr, /bad-name\.toml/);
  });

  it("a file that is not there", async () => {
    const { code, stderr } = await serve(["--client-tool", join(files.folder, "none.toml")]);
    assert.equal(code, 1);
    assert.match(stderr, /none\.toml/);
  });
});

describe("a token at fault is refused before the port is bound", () => {
  for (const option of ["--auth-token", "--operator-token"]) {
    it(`${option} names a variable that is not set`, async () => {
      const { code, stderr } = await serve([option, "SALVOR_TEST_TOKEN"], { SALVOR_TEST_TOKEN: undefined });
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`${option}.*SALVOR_TEST_TOKEN.*not set`));
    });

    it(`${option} names a variable that is empty`, async () => {
      const { code, stderr } = await serve([option, "SALVOR_TEST_TOKEN"], { SALVOR_TEST_TOKEN: "" });
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`${option}.*SALVOR_TEST_TOKEN.*empty`));
    });
  }

  it("it ends with a line break, which no header carries, and the token is not repeated", async () => {
    const env = { SALVOR_TEST_TOKEN: "s3cr3t\n" };
    const { code, stderr } = await serve(["--auth-token", "SALVOR_TEST_TOKEN"], env);
    assert.equal(code, 1);
    assert.match(stderr, /SALVOR_TEST_TOKEN/);
    assert.doesNotMatch(stderr, /s3cr3t/);
  });

  it("client and operator have the same one, and it is not repeated", async () => {
    const env = { SALVOR_TEST_A: "s3cr3t", SALVOR_TEST_B: "s3cr3t" };
    const args = ["--auth-token", "SALVOR_TEST_A", "--operator-token", "SALVOR_TEST_B"];
    const { code, stderr } = await serve(args, env);
    assert.equal(code, 1);
    assert.match(stderr, /SALVOR_TEST_A.*SALVOR_TEST_B.*same/);
    assert.doesNotMatch(stderr, /s3cr3t/);
  });
});

describe("an address that others can reach", () => {
  for (const bind of ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"])
    it(`${bind} is refused without --auth-token`, async () => {
      const { code, stderr } = await serve(["--bind", bind]);
      assert.equal(code, 1);
      assert.match(stderr, /--auth-token/);
      assert.match(stderr, /--insecure/);
    });

  it("is not made safe by an operator token alone", async () => {
    const args = ["--bind", "0.0.0.0:0", "--operator-token", "SALVOR_TEST_TOKEN"];
    const { code, stderr } = await serve(args, { SALVOR_TEST_TOKEN: "x" });
    assert.equal(code, 1);
    assert.match(stderr, /--auth-token/);
  });
});

for (const seconds of ["0", "-1", "1.5", "soon"])
  it(`a lease time of ${seconds} is refused by the variable's name`, async () => {
    const { code, stderr } = await serve([], { SALVOR_CLIENT_LEASE_TTL_SECS: seconds });
    assert.equal(code, 1);
    assert.match(stderr, /SALVOR_CLIENT_LEASE_TTL_SECS/);
  });
