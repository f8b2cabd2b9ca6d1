import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { runSalvor } from "../support/run-salvor.js";
import { salvorProgram } from "#salvor/cli/program.js";
import { VERSION } from "#salvor/version.js";

const verbs = salvorProgram().commands;
const page = await readFile(fileURLToPath(new URL("../docs/cli.md", import.meta.resolve("salvor"))), "utf8");

function sectionOf(verb: string): string {
  const [, section = ""] = page.split(`\n## salvor ${verb}\n`);
  return section.split("\n## ")[0] ?? "";
}

describe("help", () => {
  for (const args of [["--help"], ["-h"], ["help"]])
    it(`of the whole is shown by salvor ${args.join(" ")}`, async () => {
      const { code, stdout, stderr } = await runSalvor(args);
      assert.equal(code, 0);
      assert.equal(stderr, "");
      for (const verb of verbs) assert.match(stdout, new RegExp(`^ {2}${verb.name()} `, "m"));
      assert.match(stdout, /^ {2}\$ salvor serve/m);
    });

  for (const verb of verbs) {
    const name = verb.name();
    it(`of ${name} has examples and is the same by both ways`, async () => {
      const [asOption, asVerb] = await Promise.all([runSalvor([name, "--help"]), runSalvor(["help", name])]);
      assert.equal(asOption.code, 0);
      assert.equal(asVerb.code, 0);
      assert.match(asOption.stdout, new RegExp(`Examples:\n {2}\\$ salvor ${name}\\b`));
      assert.equal(asVerb.stdout, asOption.stdout);
    });

    it(`of ${name} and docs/cli.md name the same options`, () => {
      const section = sectionOf(name);
      const options = [verb, ...verb.commands].flatMap((each) => each.options);
      const documented = new Set(section.match(/(?<=`)--[a-z-]+/g));
      const offered = options.map((option) => option.long ?? option.flags);
      for (const option of offered) assert.ok(documented.has(option), `${option} is not in docs/cli.md`);
      const known = new Set([...offered, ...verbs.flatMap((other) => other.options.map((o) => o.long))]);
      for (const option of documented) assert.ok(known.has(option), `${option} is in docs/cli.md only`);
      for (const option of options)
        assert.ok(section.includes(option.flags.replace("|", "\\|")), `${option.flags} is spelled otherwise`);
    });
  }

  it("has no section for a verb that does not exist", () => {
    const sections = [...page.matchAll(/^## salvor (\S+)$/gm)].map(([, verb]) => verb);
    assert.deepEqual(sections.toSorted(), verbs.map((verb) => verb.name()).toSorted());
  });
});

it("the version is the package's", async () => {
  assert.deepEqual(await runSalvor(["--version"]), { code: 0, stdout: `${VERSION}\n`, stderr: "" });
});

describe("a call that cannot be understood exits 2 and says what to type next", () => {
  for (const args of [
    [],
    ["sevre"],
    ["serve", "--bnd", "127.0.0.1:0"],
    ["serve", "extra"],
    ["serve", "--bind", "8080"],
    ["serve", "--bind", "127.0.0.1:99999"],
    ["serve", "--log-level", "loud"],
    ["serve", "--auth-token", "not a name"],
    ["check"],
    ["list", "--limit", "0"],
    ["list", "--status", "asleep"],
    ["list", "--url", "localhost:8080"],
    ["history"],
    ["history", "42"],
    ["resolve", "00000000-0000-4000-8000-000000000001"],
    ["resolve", "00000000-0000-4000-8000-000000000001", "--output", "1", "--not-performed"],
    ["resolve", "00000000-0000-4000-8000-000000000001", "--output", "{", "--yes"],
    ["resolve", "00000000-0000-4000-8000-000000000001", "--output", "1", "--override", "--yes"],
    ["resolve", "00000000-0000-4000-8000-000000000001", "--output", "1"],
    ["abandon", "00000000-0000-4000-8000-000000000001"],
  ])
    it(`salvor ${args.join(" ")}`, async () => {
      const { code, stdout, stderr } = await runSalvor(args);
      assert.equal(code, 2);
      assert.equal(stdout, "");
      assert.match(stderr, args.length === 0 ? /salvor serve/ : /^salvor: .*\nNext: /s);
      assert.doesNotMatch(stderr, /\n {4}at /);
    });
});

it("a misspelled verb or option is answered with what was probably meant", async () => {
  assert.match((await runSalvor(["histroy"])).stderr, /Did you mean history\?/);
  assert.match((await runSalvor(["serve", "--dta", "x"])).stderr, /Did you mean --data\?/);
});
