import assert from "node:assert/strict";
import { it } from "node:test";
import { parseServers, ServersFileError } from "#salvor/mcp/servers-file/read-servers.js";
import { readServersFile } from "#salvor/mcp/servers-file/index.js";

const ENV = { TOKEN: "t0ken", EMPTY: "", BAD: "two\nlines" };
const read = (text: string) => parseServers(text, "servers.toml", ENV);

function problemsOf(text: string): readonly string[] {
  try {
    read(text);
  } catch (error) {
    assert.ok(error instanceof ServersFileError);
    return error.problems.map(({ line, what }) => `${line ?? "-"}: ${what}`);
  }
  return [];
}

it("a program and a web server are read with everything that is said about them", () => {
  const [files, shop] = read(`
    [servers.files]
    command = "npx"
    args = ["-y", "server", "/srv"]
    cwd = "/srv"
    env = { LOG = "info" }
    env_from = { API_KEY = "TOKEN" }
    prefix = "fs_"
    trust_annotations = false
    timeout_seconds = 1.5
    [servers.files.tools.write_file]
    effect = "write"
    idempotency_key = "file.path"
    errors_are_definite = true
    timeout_seconds = 60
    [servers.shop]
    url = "https://example.com/mcp"
    headers = { X-Team = "payments" }
    headers_from = { X-Key = "TOKEN" }
    bearer_token_from = "TOKEN"
  `);
  assert.deepEqual(files, {
    ...{ kind: "stdio", name: "files", command: "npx", args: ["-y", "server", "/srv"], cwd: "/srv" },
    env: { LOG: "info", API_KEY: "t0ken" },
    ...{ prefix: "fs_", trustAnnotations: false, timeoutMs: 1500 },
    tools: {
      write_file: {
        ...{ effect: "write", idempotencyKey: "file.path" },
        ...{ errorsAreDefinite: true, timeoutMs: 60_000 },
      },
    },
  });
  assert.deepEqual(shop, {
    ...{ kind: "http", name: "shop", url: "https://example.com/mcp", bearerToken: "t0ken" },
    headers: { "X-Team": "payments", "X-Key": "t0ken" },
    ...{ prefix: undefined, trustAnnotations: undefined, timeoutMs: undefined, tools: {} },
  });
});

it("an unknown key is refused with its line, at every level", () => {
  const text = [
    "[server]",
    "[servers.a]",
    'command = "a"',
    'url_ = "b"',
    "[servers.a.tools.pay]",
    'efect = "write"',
    "[servers.b]",
    'url = "http://127.0.0.1/"',
    'args = ["x"]',
  ].join("\n");
  assert.deepEqual(problemsOf(text), [
    "1: server is no key that is known here",
    "4: servers.a.url_ is no key that is known here",
    "6: servers.a.tools.pay.efect is no key that is known here",
    "9: servers.b.args is no key that is known here",
  ]);
});

it("a secret that is not there is refused by the name of its variable, and never shown", () => {
  const of = (line: string) => problemsOf(`[servers.a]\nurl = "http://127.0.0.1/"\n${line}`);
  assert.deepEqual(of('bearer_token_from = "NOT_SET"'), [
    "3: servers.a.bearer_token_from names the environment variable NOT_SET, which is not set",
  ]);
  assert.deepEqual(of('headers_from = { K = "EMPTY" }'), [
    "3: servers.a.headers_from names the environment variable EMPTY, which is empty",
  ]);
  const [bad = ""] = of('headers_from = { K = "BAD" }');
  assert.match(bad, /no HTTP header can be/);
  assert.doesNotMatch(bad, /lines/);
  assert.deepEqual(of('bearer_token_from = "constructor"'), [
    "3: servers.a.bearer_token_from names the environment variable constructor, which is not set",
  ]);
});

it("a value of the wrong kind is refused with what to write", () => {
  for (const [lines, problem] of [
    ["command = 1", "2: servers.a.command is 1"],
    ['command = ""', "2: servers.a.command is an empty text"],
    ['command = "a"\nargs = "b"', '3: servers.a.args is the text "b"'],
    ['command = "a"\nenv = { A = 1 }', "3: servers.a.env is a table"],
    ['command = "a"\ntrust_annotations = "no"', '3: servers.a.trust_annotations is the text "no"'],
    ['command = "a"\ntimeout_seconds = 0', "3: servers.a.timeout_seconds is 0"],
    ['command = "a"\nprefix = "a b"', "3: servers.a.prefix cannot begin a tool's name"],
    ['command = "a"\ntools = ["pay"]', "3: servers.a.tools is an array"],
    ['command = "a"\n[servers.a.tools]\npay = 1', "4: servers.a.tools.pay is 1"],
    ['command = "a"\n[servers.a.tools.pay]\neffect = "delete"', '4: servers.a.tools.pay.effect is "delete"'],
    [
      'command = "a"\n[servers.a.tools.pay]\nidempotency_key = "a."',
      '4: servers.a.tools.pay.idempotency_key is "a."',
    ],
    ["", "1: servers.a has neither a command nor a url"],
    ['command = "a"\nurl = "b"', "1: servers.a has both a command and a url"],
    ['url = "ftp://a/"', /^2: servers\.a\.url is not accepted/],
    ['url = "http://me:pw@a/"', /^2: servers\.a\.url is not accepted: .*holds a user or a password/],
  ] as const) {
    const [found = "nothing"] = problemsOf(`[servers.a]\n${lines}`);
    if (typeof problem === "string") assert.equal(found, problem);
    else assert.match(found, problem);
  }
});

it("a file that names no server, is no TOML or is not there is refused", () => {
  assert.deepEqual(problemsOf(""), ["-: names no server"]);
  assert.deepEqual(problemsOf("servers = 1"), ["1: servers is 1"]);
  assert.match(problemsOf("[servers.a")[0] ?? "", /not TOML/);
  assert.throws(() => readServersFile("/no/such/file.toml"), ServersFileError);
});
