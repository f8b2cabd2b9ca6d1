import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { it } from "node:test";
import type { ServeOptions } from "#salvor/cli/commands/serve.js";
import { announce } from "#salvor/cli/serve-words.js";
import { outputOn } from "#salvor/cli/terminal.js";

const OPTIONS: ServeOptions = {
  bind: { host: "127.0.0.1", port: 8080 },
  data: "./salvor-data",
  clientTool: [],
  allowOrigin: [],
  logLevel: "info",
};

function announced(
  url: string,
  more: Partial<ServeOptions> & { readonly passwordShown?: boolean } = {},
): string {
  const stream = new PassThrough();
  const words = { ...OPTIONS, place: "/srv/salvor-data", passwordShown: false, ...more };
  announce(outputOn(stream, {}), url, words, { declared: [] });
  return String(stream.read());
}

it("an address that stands for all of the machine's is announced as it is, and tried as one of its own", () => {
  const text = announced("http://0.0.0.0:9000");
  assert.match(text, /^salvor listening on http:\/\/0\.0\.0\.0:9000\n/);
  assert.match(text, /\$ curl http:\/\/127\.0\.0\.1:9000\/v1\/client-tools/);
  assert.match(announced("http://[::]:9000"), /\$ salvor list --url http:\/\/\[::1\]:9000\n/);
});

it("says where a browser finds the operator's page, also when it listens everywhere", () => {
  assert.match(announced("http://0.0.0.0:9000"), /is at http:\/\/127\.0\.0\.1:9000\/, for a browser/);
});

it("the default address needs no --url", () => {
  assert.match(announced("http://127.0.0.1:8080"), /\$ salvor list\n/);
});

it("a server without tools says how to declare one", () => {
  assert.match(announced("http://127.0.0.1:8080"), /No client tools are declared: start with --client-tool/);
});

it("with an operator token alone, reading needs no token and listing names it", () => {
  const text = announced("http://127.0.0.1:8080", { operatorToken: "OPS" });
  assert.match(text, /\$ curl http:\/\/127\.0\.0\.1:8080/);
  assert.match(text, /\$ salvor list --operator-token OPS\n/);
});

it("what npm start serves is spoken to by a command that is on nobody's path", () => {
  const before = process.env.npm_lifecycle_event;
  process.env.npm_lifecycle_event = "start";
  try {
    assert.match(announced("http://127.0.0.1:8080"), /\$ npx --no-install salvor list\n/);
  } finally {
    if (before === undefined) delete process.env.npm_lifecycle_event;
    else process.env.npm_lifecycle_event = before;
  }
});

it("a database's password on the command line is warned of, and the flag named that hides it", () => {
  assert.match(
    announced("http://127.0.0.1:8080", { passwordShown: true }),
    /Warning:.*--store-env VAR hides it/,
  );
  assert.doesNotMatch(announced("http://127.0.0.1:8080"), /--store-env/);
});
