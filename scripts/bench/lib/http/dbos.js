// DBOS Transact behind the least of node:http. POST /step/N does as many durable writes as an intent and its completion: two
// steps that do nothing, in the workflow N, which goes on from request to request as a run does. In process: workflows
// whose steps follow each other without any request, one durable write each.
import { createServer } from "node:http";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { answer } from "./child.js";
import { readJson } from "./read-json.js";

const [url] = process.argv.slice(2);
const step = (name) => DBOS.runStep(async () => ({ receipt: "r-1f0c" }), { name });

/** The workflows that go on: what wakes each of them. */
const wakes = new Map();
const goOn = DBOS.registerWorkflow(
  async (name) => {
    for (;;) {
      const done = await new Promise((wake) => wakes.get(name)(wake));
      await step("intent");
      done(await step("charge_card"));
    }
  },
  { name: "goOn" },
);
const alone = DBOS.registerWorkflow(
  async (count) => {
    for (let left = count; left > 0; left -= 1) await step("charge_card");
  },
  { name: "alone" },
);
DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, systemDatabasePoolSize: 64, logLevel: "error" });
await DBOS.launch();

/** Has a workflow do its two steps; resolves once they are durable. A workflow has one request at a time. */
async function doStep(name) {
  let asleep = wakes.get(name)?.asleep;
  if (asleep === undefined) {
    asleep = new Promise((resolve) => wakes.set(name, resolve));
    await DBOS.startWorkflow(goOn)(name);
  }
  const wake = await asleep;
  return new Promise((resolve) => {
    const again = new Promise((next) => wakes.set(name, next));
    wakes.get(name).asleep = again;
    wake(resolve);
  });
}

const server = createServer(async (request, response) => {
  await readJson(request);
  const text = JSON.stringify(await doStep(request.url));
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
  response.end(text);
});

async function inProcess({ connections, count }) {
  const each = Math.ceil(count / connections);
  const begun = performance.now();
  await Promise.all(Array.from({ length: connections }, () => alone(each)));
  return { per_second: (each * connections * 1000) / (performance.now() - begun) };
}

server.listen(0, "127.0.0.1", () => answer({ inProcess }, { port: server.address().port }));
