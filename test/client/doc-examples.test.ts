import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import ts from "typescript";
import * as client from "#salvor/client/index.js";
import { envelopeOf } from "#salvor/log/events.js";
import { root } from "../docs/pages.js";
import { patternOf } from "../docs/scripts.js";
import { hostedTool, hostedTools } from "../support/hosted-tools.js";
import { TestServer } from "../support/test-server.js";
import { docExamples, promisedLines, type DocExample } from "./support/doc-examples.js";
import { NOTHING_GENERATED, REFUND_CARD } from "./support/tools.js";

// Inside the package, so that `salvor` and `salvor/client` are what a user of the package gets.
const folder = join(root, `build/doc-examples-${process.pid}`);

/** What the examples import is the package as it was built, not the modules that this file is compiled with. */
const ENTRY = ["salvor", "client"].join("/");

const FILES = ["salvor-client", "driving-client", "client-run", "agent-run"].map(
  (name) => `src/client/${name}.ts`,
);

const SETTING = `
  import { Tool, ToolSet, type ToolHandler } from "salvor";
  import { AgentRun, ClientRun, SalvorClient, type Drive } from "salvor/client";
  interface Input { order_id: string; amount_cents: number }
  interface Output { refund_id: string; amount_cents: number }
  @Tool("write", { description: "Refund a paid order." })
  class RefundCard implements ToolHandler<Input, Output> {
    call(_ctx: unknown, { order_id, amount_cents }: Input): Output {
      if (order_id === "A-99") throw new Error("the line was cut");
      return { refund_id: "re_1", amount_cents };
    }
  }
  export interface Setting {
    readonly client: SalvorClient;
    readonly drive: Drive;
    readonly tools: ToolSet;
    readonly run: ClientRun;
    readonly agent: AgentRun;
    readonly console: { log(...args: unknown[]): void };
  }
  export function toolsOf(own: { inputSchema: object; outputSchema: object }): ToolSet {
    return new ToolSet(${JSON.stringify(NOTHING_GENERATED)}).register(new RefundCard(), own as never);
  }
`;

/** A module whose default export runs an example. What it imports itself stays where imports belong. */
function moduleOf({ code = "" }: DocExample, url: string): string {
  const lines = code.replaceAll("http://127.0.0.1:8080", url).split("\n");
  const imports = lines.filter((line) => line.startsWith("import "));
  const names = Object.keys(client).filter((name) => !imports.some((line) => line.includes(name)));
  return [
    ...imports,
    `import { ${names.join(", ")}, type ToolAsk } from "salvor/client";`,
    `import type { Setting } from "./setting.js";`,
    `export default async ({ ${imports.length > 0 ? "" : "client, drive, tools, run, agent, "}console }: Setting): Promise<void> => {`,
    "{",
    ...lines.filter((line) => !imports.includes(line)),
    "}",
    "};",
  ].join("\n");
}

const NUMBERS = { type: "object", required: ["paid_cents"], properties: { paid_cents: { type: "integer" } } };
const LOOK_UP = { type: "object", required: ["order_id"], properties: { order_id: { type: "string" } } };
const FIND_ORDER = {
  name: "find_order",
  effect: "read",
  input_schema: LOOK_UP,
  output_schema: NUMBERS,
  trust_completion: true,
} as const;

describe("the examples in the client's doc comments", () => {
  const found = FILES.flatMap(docExamples);
  const examples = found.filter(({ code }) => code !== undefined);
  let server: TestServer;

  before(async () => {
    server = await TestServer.start({
      tools: [REFUND_CARD, FIND_ORDER],
      hosted: hostedTools(
        hostedTool("look_up", "read", () => ({ paid_cents: 500 }), { inputSchema: LOOK_UP }),
      ),
      executor: {
        call: (_request, { onDelta }) => {
          onDelta?.({ type: "text_delta", text: "Refund it." });
          const usage = { input_tokens: 12, output_tokens: 3 };
          return Promise.resolve({ response: { text: "Refund it." }, usage });
        },
      },
    });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "setting.ts"), SETTING);
    for (const example of examples) {
      await writeFile(join(folder, `${example.of}.ts`), moduleOf(example, server.url));
    }
  });
  after(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("are there for every public method", () => {
    assert.ok(found.length >= 30);
    assert.deepEqual(
      found.filter(({ code }) => code === undefined).map(({ of }) => of),
      [],
    );
  });

  it("compile as they stand", () => {
    const files = examples.map(({ of }) => join(folder, `${of}.ts`));
    const program = ts.createProgram([...files, join(folder, "setting.ts")], {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      skipLibCheck: true,
      types: ["node"],
      rootDir: folder,
    });
    const problems = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
      return `${file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
    assert.deepEqual(problems, []);
    program.emit();
  });

  for (const example of examples) {
    it(`do what they say: ${example.of}`, async () => {
      const load = (name: string): Promise<unknown> =>
        import(pathToFileURL(join(folder, `${name}.js`)).href) as Promise<unknown>;
      const { toolsOf } = (await load("setting")) as { toolsOf: (own: object) => client.RunTools };
      const { input_schema: inputSchema, output_schema: outputSchema } = REFUND_CARD;
      const tools = toolsOf({ inputSchema, outputSchema });
      const { default: show } = (await load(example.of)) as {
        default: (setting: object) => Promise<void>;
      };
      // The classes that the example knows: those of the package.
      const { AgentRun, ClientRun, SalvorClient } = (await import(ENTRY)) as typeof client;
      const own = new SalvorClient({ url: server.url });
      const printed: string[] = [];
      const { run: id, drive_token: driveToken } = await own.openRun({ runId: crypto.randomUUID() });
      const drive = { run: id, driveToken };
      const payload = { agent_def_hash: "desk@1", input: null };
      await own.appendEvents(drive, [envelopeOf(id, 0, "", { kind: "RunStarted", payload })]);
      await show({
        client: own,
        drive,
        tools,
        run: await ClientRun.open(own, tools, { agentDefHash: "desk@1" }),
        agent: await AgentRun.open(own, tools, {
          agentDefHash: "desk@1",
          asks: (response) => (response as unknown as { readonly calls: readonly client.ToolAsk[] }).calls,
        }),
        console: { log: (...args: unknown[]) => printed.push(format(...args)) },
      });
      const promised = promisedLines(example.code ?? "");
      assert.equal(printed.length, promised.length, printed.join("\n"));
      promised.forEach((line, at) => {
        assert.match(printed[at] ?? "", patternOf(line));
      });
    });
  }
});
