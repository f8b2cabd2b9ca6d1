import assert from "node:assert/strict";
import type { Actor } from "../server/run-world.js";
import type { FuzzServer, Sent } from "./fuzz-server.js";
import type { FuzzTurn } from "./fuzz-steps.js";

interface AskedRun {
  readonly id: string;
  readonly tokens: ReadonlyMap<Actor, string>;
}

/** Bodies that are refused before anybody looks at what they say. */
const HOSTILE: readonly (string | Uint8Array<ArrayBuffer>)[] = [
  "{",
  "",
  '{"seq":1,"seq":1}',
  '{"__proto__":{}}',
  '{"seq":1e300}',
  '{"seq":9007199254740993.0}',
  '{"note":"\\ud800"}',
  `${"[".repeat(129)}${"]".repeat(129)}`,
  new Uint8Array([0x7b, 0xff, 0x7d]),
  "null",
  "[]",
];

const DRIVEN = [
  "events",
  "client-tool-intent",
  "client-tool-completion",
  "client-model-intent",
  "client-model-completion",
  "steps",
  "tool-step",
  "resolve",
];

const pick = <T>(options: readonly T[], choice: number): T => options[choice % options.length] as T;

/** Asks for something that changes no run, and looks at the answer if there is one. */
export async function asideOf(
  { what, body }: FuzzTurn["aside"][number],
  server: FuzzServer,
  { id, tokens }: AskedRun,
): Promise<void> {
  const endpoint = `/v1/client-runs/${id}/${pick(DRIVEN, what)}`;
  const drive = tokens.get("ann");
  const expect = async (path: string, sent: Sent, ...statuses: readonly number[]): Promise<void> => {
    const answer = await server.ask(path, sent);
    if (answer !== undefined)
      assert.ok(statuses.includes(answer.status), `${path}: ${answer.status} ${answer.text}`);
  };
  switch (what % 9) {
    case 0:
      return expect("/v1/client-runs", { raw: pick(HOSTILE, what >> 3) }, 400);
    case 1:
      return expect(endpoint, { drive, raw: pick(HOSTILE, what >> 3) }, 400, 401, 403, 404);
    case 2:
      // Nobody stumbles over a body that is one: what fits no shape is refused.
      return expect(
        endpoint,
        { drive, body: isRecord(body) ? { ...body, seq: -1 } : body },
        400,
        401,
        403,
        404,
      );
    case 3:
      return expect(endpoint, { drive, body: {}, bearer: "guessed" }, 401);
    case 4:
      return expect(`/v1/runs/${id}/${pick(["resolve", "resume", "abandon"], what)}`, { body: {} }, 403);
    case 5:
      return expect(pick(["/v1/nothing", `/v1/runs/${id}/nothing`], what >> 3), { method: "GET" }, 404);
    case 6:
      return expect(pick(["/v1/runs", `/v1/runs/${id}/replay`], what >> 3), { body: {} }, 405);
    case 7:
      return expect(`/v1/runs/${id}`, { method: "GET" }, 200, 404);
    default:
      return expect(
        `/v1/runs?${pick(["limit=x", "after=nothing", "group=everybody", "status=odd"], what >> 3)}`,
        { method: "GET" },
        400,
      );
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
