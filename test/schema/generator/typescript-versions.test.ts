import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { generateSchemas } from "#salvor/schema/generator/index.js";
import { AuthorProject } from "../../support/author-project.js";
import { runTsc, TYPESCRIPTS, type TypeScript } from "../../support/typescript-versions.js";
import { expectArtefact } from "./program.js";

const TOOL = `import { Tool, type ToolCtx, type ToolHandler } from "salvor";
import type { Money } from "#model/money";

interface Refund { refundId: string; note?: string | null }

/** Refunds an order. */
@Tool("write")
export class RefundOrder implements ToolHandler<{ orderId: string; amount: Money }, Refund> {
  async call(ctx: ToolCtx, input: { orderId: string; amount: Money }): Promise<Refund> {
    return { refundId: input.orderId + (ctx.idempotencyKey ?? "") };
  }
}
`;

const MAIN = `import { toAnthropic, ToolSet } from "salvor";
import { ClientRun, SalvorClient } from "salvor/client";
import schemas from "./tools.schemas.json" with { type: "json" };
import { RefundOrder } from "#src/refund-order";

export const tools = new ToolSet(schemas).register(new RefundOrder());
export const forModels = tools.descriptors().map((descriptor) => toAnthropic(descriptor));
export const client = new SalvorClient({ url: "http://127.0.0.1:1" });
export const run = ClientRun;
`;

const HOSTS = `import * as server from "salvor/server";
import * as runtime from "salvor/runtime";
import * as store from "salvor/store";
import * as mcp from "salvor/mcp";

export const hosts = [server, runtime, store, mcp];
`;

const COMMON = {
  strict: true,
  noEmit: true,
  target: "es2022",
  lib: ["es2023"],
  types: ["node"],
  resolveJsonModule: true,
};
const PATHS = { "#model/*": ["./src/model/*.ts"], "#src/*": ["./src/*.ts"] };

/** Each way to find modules, to read decorators and to hold optional members; one with all our declarations checked as well. */
const CONFIGS = {
  "nodenext.json": {
    compilerOptions: {
      ...COMMON,
      skipLibCheck: false,
      module: "nodenext",
      exactOptionalPropertyTypes: true,
      paths: PATHS,
    },
    include: ["src"],
  },
  "bundler.json": {
    compilerOptions: {
      ...COMMON,
      skipLibCheck: true,
      module: "esnext",
      moduleResolution: "bundler",
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
      paths: PATHS,
    },
    files: ["src/main.ts"],
  },
};

function projectFor({ package: name }: TypeScript): AuthorProject {
  const project = new AuthorProject({
    typescript: name,
    "@types/node": "@types/node",
    "undici-types": "undici-types",
  });
  project.write("package.json", JSON.stringify({ type: "module", private: true }));
  project.write(
    "src/model/money.ts",
    "export interface Money {\n  /** @minimum 1 @integer */\n  cents: number;\n}\n",
  );
  project.write("src/refund-order.ts", TOOL);
  project.write("src/main.ts", MAIN);
  project.write("src/hosts.ts", HOSTS);
  for (const [file, config] of Object.entries(CONFIGS)) project.write(file, JSON.stringify(config));
  return project;
}

/** The oldest and the newest here, and all of them in `npm run soak`. */
const VERSIONS =
  process.env.SALVOR_SOAK === "1"
    ? TYPESCRIPTS
    : TYPESCRIPTS.filter(({ version }) => version === "5.5" || version === "7.0");
const artefacts = new Map<string, string>();

describe("a project has the same schemas, and checks against our declarations", { concurrency: 2 }, () => {
  for (const typescript of VERSIONS) {
    it(`with TypeScript ${typescript.version}`, async () => {
      using project = projectFor(typescript);
      for (const config of Object.keys(CONFIGS)) {
        const { text } = expectArtefact(generateSchemas({ tsconfig: config, cwd: project.folder }));
        artefacts.set(`${typescript.version} with ${config}`, text);
        project.write("src/tools.schemas.json", text);
        assert.deepEqual(await runTsc(typescript, ["-p", config], project.folder), [], config);
      }
    });
  }
});

describe("the artefact", () => {
  it("is the same for every version and every kind of project", () => {
    assert.equal(artefacts.size, VERSIONS.length * Object.keys(CONFIGS).length);
    const [text = "", ...others] = new Set(artefacts.values());
    assert.deepEqual(others, []);
    const { tools } = JSON.parse(text) as { readonly tools: Record<string, { readonly input: object }> };
    assert.deepEqual(tools.refund_order?.input, {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { amount: { $ref: "#/definitions/Money" }, orderId: { type: "string" } },
      required: ["amount", "orderId"],
      additionalProperties: false,
      definitions: {
        Money: {
          type: "object",
          properties: { cents: { type: "integer", minimum: 1 } },
          required: ["cents"],
          additionalProperties: false,
        },
      },
    });
  });

  it("is the same from the command of an installed package, whose compiler is not the project's", () => {
    using project = projectFor(TYPESCRIPTS[3]);
    const args = [project.salvor, "schemas", "--tsconfig", "bundler.json"];
    const generated = spawnSync(process.execPath, args, { cwd: project.folder, encoding: "utf8" });
    assert.deepEqual([generated.stderr, generated.status], ["", 0]);
    const [text] = artefacts.values();
    assert.equal(readFileSync(join(project.folder, "src/tools.schemas.json"), "utf8"), text);
  });
});
