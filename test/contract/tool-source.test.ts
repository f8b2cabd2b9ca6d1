import assert from "node:assert/strict";
import { it } from "node:test";
import { RegistryError, ToolSet, type DynTool, type ToolSource } from "#salvor/index.js";

const NO_TOOLS = { formatVersion: 1, generator: {}, inputs: {}, tools: {} };

function tool(name: string, description: string): DynTool {
  const callJson = () => Promise.resolve({ outcome: "output", output: description } as const);
  return { name, description, effect: "read", inputSchema: { type: "object" }, callJson };
}

/** A source whose tools can be changed. */
class Shelf implements ToolSource {
  #names: readonly string[];
  constructor(
    readonly label: string,
    ...names: readonly string[]
  ) {
    this.#names = names;
  }

  readonly get = (name: string): DynTool | undefined =>
    this.#names.includes(name) ? tool(name, this.label) : undefined;
  readonly names = (): readonly string[] => this.#names;

  change(...names: readonly string[]): void {
    this.#names = names;
  }
}

const labelled = (set: ToolSet) =>
  Object.fromEntries(set.names().map((name) => [name, set.get(name)?.description]));

it("what a source has is in the set, also what it comes to have later", () => {
  const shelf = new Shelf("shelf", "b", "a");
  const set = new ToolSet(NO_TOOLS).include(shelf);
  assert.deepEqual(set.names(), ["a", "b"]);
  assert.deepEqual(
    set.descriptors().map(({ name, effect }) => [name, effect]),
    [
      ["a", "read"],
      ["b", "read"],
    ],
  );
  shelf.change("c");
  assert.deepEqual(set.names(), ["c"]);
  assert.equal(set.get("a"), undefined);
});

it("a name that is taken refuses the source, and nothing of it is included", () => {
  const set = new ToolSet(NO_TOOLS).include(new Shelf("one", "a"));
  assert.throws(
    () => set.include(new Shelf("two", "a", "b")),
    (error) =>
      error instanceof RegistryError && error.code === "duplicate_name" && error.message.includes("a: "),
  );
  assert.deepEqual(labelled(set), { a: "one" });
});

it("no source takes over a name that another one has had", () => {
  const [one, two] = [new Shelf("one"), new Shelf("two", "pay")];
  const set = new ToolSet(NO_TOOLS).include(one).include(two);
  one.change("pay", "new");
  assert.deepEqual(labelled(set), { pay: "two", new: "one" });
  two.change("new");
  assert.deepEqual(labelled(set), { new: "one" });
  two.change("pay");
  assert.deepEqual(labelled(set), { pay: "two", new: "one" });
});
