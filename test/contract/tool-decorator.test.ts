import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type * as decorated from "#salvor/contract/tool-meta.js";
import { Tool } from "#salvor/contract/tool-decorator.js";
import { ToolDefinitionError } from "#salvor/contract/tool-definition-error.js";
import { toolMetaOf } from "#salvor/contract/tool-meta.js";
import { FIXTURES, javascriptOf, MODES } from "./compile.js";

interface Fixture {
  readonly CreateTicket: object;
  readonly HTTPFetch: object;
  readonly Urgent: object;
  readonly UrgentRead: object;
  readonly Renamed: object;
  readonly refusals: Readonly<Record<string, () => unknown>>;
  readonly toolMetaOf: typeof decorated.toolMetaOf;
}

const folder = mkdtempSync(join(tmpdir(), "salvor-decorated-"));
after(() => {
  rmSync(folder, { recursive: true });
});

const source = readFileSync(join(FIXTURES, "decorated.ts"), "utf8");

for (const [at, mode] of MODES.entries()) {
  const file = join(folder, `decorated-${at}.mjs`);
  writeFileSync(file, javascriptOf(source, mode));
  const fixture = (await import(pathToFileURL(file).href)) as Fixture;

  describe(`@Tool at run time under ${mode.name}`, () => {
    it("names a tool after its class, in snake_case", () => {
      assert.deepEqual(fixture.toolMetaOf(fixture.CreateTicket), {
        name: "create_ticket",
        effect: "write",
        className: "CreateTicket",
      });
    });

    it("keeps what the options say", () => {
      assert.deepEqual(fixture.toolMetaOf(fixture.HTTPFetch), {
        name: "fetch-it",
        effect: "read",
        className: "HTTPFetch",
        description: "Fetches it.",
        idempotencyKey: "order.id",
      });
    });

    it("is not inherited", () => {
      assert.equal(fixture.toolMetaOf(fixture.Urgent), undefined);
    });

    it("lets a subclass of a tool be a tool of its own", () => {
      assert.equal(fixture.toolMetaOf(fixture.UrgentRead)?.effect, "read");
      assert.equal(fixture.toolMetaOf(fixture.CreateTicket)?.effect, "write");
    });

    it("freezes what it records", () => {
      assert.ok(Object.isFrozen(fixture.toolMetaOf(fixture.CreateTicket)));
    });

    const refused: Readonly<Record<string, RegExp>> = {
      twice: /class Refund has two @Tool decorators: as refund it is "write" already; remove one/,
      badName: /class Refund: "no spaces please" is no tool name .*\{ name: "\.\.\." \}/,
      badClassName: /class Größe: "größe" is no tool name/,
      badEffect: /class Refund: "delete" is no effect; it is one of read, idempotent, write/,
      noParentheses: /class Refund: @Tool needs its effect in parentheses, such as @Tool\("write"\)/,
      misspelledOption:
        /class Refund: @Tool has no option "idempotencykey"; it has name, description, idempotencyKey/,
      emptyDescription: /class Refund: the option description of @Tool must be a text/,
      badPath: /class Refund: .*"order\.\.id" is no path into an input/,
      onAMember: /@Tool goes on a class, not on a member of one/,
    };
    for (const [name, message] of Object.entries(refused)) {
      it(`refuses ${name} while the class is being defined`, () => {
        assert.throws(() => fixture.refusals[name]?.(), {
          name: "ToolDefinitionError",
          code: "tool_definition",
          message,
        });
      });
    }

    it("has a refusal tested for each that the fixture makes", () => {
      assert.deepEqual(Object.keys(fixture.refusals).sort(), Object.keys(refused).sort());
    });
  });
}

describe("a standard decorator's context", () => {
  it("names the class, whatever its static members are called", () => {
    class Renamed {
      static readonly name = "misleading";
      readonly call = (_ctx: unknown, input: object): object => input;
    }
    Tool("read")(Renamed, { kind: "class", name: "Renamed" });
    assert.equal(toolMetaOf(Renamed)?.name, "renamed");
  });

  it("refuses a class without a name of its own, and says how to name it", () => {
    const Anonymous = (() =>
      class {
        call = (_ctx: unknown, input: object): object => input;
      })();
    assert.throws(() => {
      Tool("read")(Anonymous);
    }, ToolDefinitionError);
  });
});

describe("the tool's metadata", () => {
  it("is absent from a class that is no tool", () => {
    assert.equal(toolMetaOf(Map), undefined);
  });
});
