// The least that answers JSON with JSON through node:http.
import { createServer } from "node:http";
import { answer } from "./child.js";
import { readJson } from "./read-json.js";

const server = createServer(async (request, response) => {
  const text = JSON.stringify(await readJson(request));
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
  response.end(text);
});
server.listen(0, "127.0.0.1", () => answer({}, { port: server.address().port }));
