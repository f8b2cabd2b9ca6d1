import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ToolSet } from "#salvor/index.js";
import { McpServer, type McpProgress } from "#salvor/mcp/index.js";
import { DurableRun } from "#salvor/runtime/index.js";
import { memoryStore, START } from "../../runtime/world.js";
import { call, packagedServer, textOf, toolOf } from "../../support/mcp-servers.js";

const NO_TOOLS = { formatVersion: 1, generator: {}, inputs: {}, tools: {} };

describe("server-everything", () => {
  for (const how of ["stdio", "streamable HTTP"] as const) {
    it(`over ${how}: echo, structured content, progress and an elicitation`, async (t) => {
      const progress: McpProgress[] = [];
      const host = {
        name: "everything",
        onProgress: (each: McpProgress) => progress.push(each),
        onElicitation: () => ({ action: "accept", content: { name: "Ada" } }) as const,
      };
      let server: McpServer;
      if (how === "stdio")
        server = await McpServer.connectStdio({ ...host, ...packagedServer("everything") });
      else {
        const { url, stop } = await everythingOverHttp();
        t.after(stop);
        server = await McpServer.connectHttp({ ...host, url });
      }
      t.after(() => server.close());
      assert.equal(textOf(await call(toolOf(server, "echo"), { message: "hello" })), "Echo: hello");
      await assert.rejects(call(toolOf(server, "echo"), { message: 7 }), { code: "invalid_input" });

      const weather = await call(toolOf(server, "get-structured-content"), { location: "Chicago" });
      assert.ok(weather.outcome === "output");
      const { structuredContent } = weather.output as { structuredContent: { temperature: unknown } };
      assert.equal(typeof structuredContent.temperature, "number");

      const input = { duration: 0.2, steps: 2 };
      await call(toolOf(server, "trigger-long-running-operation"), input);
      assert.deepEqual(
        progress.map((each) => [each.tool, each.progress, each.total]),
        [
          ["trigger-long-running-operation", 1, 2],
          ["trigger-long-running-operation", 2, 2],
        ],
      );
      const told = await call(toolOf(server, "trigger-elicitation-request"));
      assert.match(JSON.stringify(told), /Ada/);
    });
  }
});

describe("server-filesystem", () => {
  let folder: string;
  let server: McpServer;
  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "salvor-mcp-files-")));
    server = await McpServer.connectStdio({
      ...packagedServer("filesystem", folder),
      prefix: "fs_",
      tools: { write_file: { effect: "write", idempotencyKey: "path" } },
    });
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  it("writes a file once for one key, and reads it", async () => {
    const store = await memoryStore();
    const tools = new ToolSet(NO_TOOLS).include(server);
    const path = join(folder, "a.txt");
    const write = { path, content: "one" };
    const run = await DurableRun.start(store, START, tools);
    const written = await run.call("fs_write_file", write);
    assert.equal(await readFile(path, "utf8"), "one");
    await rm(path);
    const other = await DurableRun.start(store, START, tools);
    assert.deepEqual(await other.call("fs_write_file", write), written);
    await assert.rejects(readFile(path, "utf8"), { code: "ENOENT" });
  });

  it("answers an error for a file that is not there, which a read fails with", async () => {
    const input = { path: join(folder, "nothing.txt") };
    await assert.rejects(call(toolOf(server, "fs_read_text_file"), input), /ENOENT/);
  });
});

it("server-memory keeps what a run has written", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "salvor-mcp-memory-"));
  const server = await McpServer.connectStdio({
    ...packagedServer("memory"),
    env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
  });
  t.after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const run = await DurableRun.start(await memoryStore(), START, new ToolSet(NO_TOOLS).include(server));
  const entities = [{ name: "Ada", entityType: "person", observations: ["writes programs"] }];
  await run.call("create_entities", { entities });
  const graph = await run.call("read_graph", {});
  const { structuredContent } = graph as { structuredContent: unknown };
  assert.deepEqual(structuredContent, { entities, relations: [] });
});

it("server-sequential-thinking answers, and its arguments are judged", async (t) => {
  const server = await McpServer.connectStdio(packagedServer("sequential-thinking"));
  t.after(() => server.close());
  const tool = toolOf(server, "sequentialthinking");
  const thought = { thought: "first", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
  assert.equal((await call(tool, thought)).outcome, "output");
  await assert.rejects(call(tool, { ...thought, thoughtNumber: 0 }), { code: "invalid_input" });
});

it("server-github lists its tools without a network", async (t) => {
  const server = await McpServer.connectStdio(packagedServer("github"));
  t.after(() => server.close());
  assert.ok(server.names().includes("create_issue"));
  assert.equal(toolOf(server, "create_issue").effect, "write");
  assert.deepEqual(server.refused, []);
});

async function everythingOverHttp() {
  const port = await freePort();
  const { command, args } = packagedServer("everything", "streamableHttp");
  const child = spawn(command, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  await new Promise<void>((listening, failed) => {
    child.once("exit", () => {
      failed(new Error("server-everything ended"));
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes(String(port))) listening();
    });
  });
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => probe.once("listening", listening));
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}
