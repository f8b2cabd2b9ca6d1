// The shop: bundles the page with esbuild, serves it, and takes feedback, each key once. Beside it, a `salvor serve` that lets
// this page in. Runs until Ctrl-C.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SALVOR = fileURLToPath(import.meta.resolve("../../../dist/cli/main.js"));
const DECLARATIONS = fileURLToPath(import.meta.resolve("../declarations"));
const PAGE = readFileSync(fileURLToPath(import.meta.resolve("../page.html")), "utf8");

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(import.meta.resolve("./page.js"))],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  write: false,
});
const script = outputFiles[0]?.text ?? "";

/** What was said, by the key that it was said under. */
const feedback = new Map<string, string>();
let requests = 0;
let salvorUrl = "";

const shop = createServer((request, response) => {
  answer(request).then(
    ([type, body]) => response.writeHead(200, { "content-type": type }).end(body),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});
shop.listen(0, "127.0.0.1");
await once(shop, "listening");
const shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;

const folder = mkdtempSync(join(tmpdir(), "salvor-browser-client-"));
const serve = ["serve", "--bind", "127.0.0.1:0", "--data", join(folder, "data")];
const server = spawn(
  process.execPath,
  [SALVOR, ...serve, "--client-tool", DECLARATIONS, "--allow-origin", shopUrl],
  { stdio: ["ignore", "pipe", "inherit"] },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => server.kill("SIGTERM"));
process.once("exit", () => server.kill("SIGKILL"));

for await (const line of createInterface({ input: server.stdout })) {
  const [, url] = /^salvor listening on (http:\S+)$/.exec(line) ?? [];
  if (url === undefined) continue;
  salvorUrl = url;
  console.log(`open ${shopUrl} (the page's script is ${Math.ceil(script.length / 1024)} KB), Ctrl-C ends it`);
}
shop.close();
shop.closeAllConnections();
rmSync(folder, { recursive: true, force: true });

async function answer(request: IncomingMessage): Promise<readonly [type: string, body: string]> {
  if (request.url === "/page.js") return ["text/javascript", script];
  if (request.url !== "/feedback") return ["text/html", PAGE.replace("SALVOR_URL", salvorUrl)];
  if (request.method === "POST") {
    requests += 1;
    const { text } = (await json(request)) as { text: string };
    const key = String(request.headers["idempotency-key"]);
    if (!feedback.has(key)) feedback.set(key, text);
    return ["application/json", JSON.stringify({ number: [...feedback.keys()].indexOf(key) + 1 })];
  }
  return ["application/json", JSON.stringify({ requests, feedback: [...feedback.values()] })];
}
