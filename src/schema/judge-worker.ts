// Runs in a worker thread (judge-pool.ts): compiles and judges one job after another. It holds nothing that matters, so it may be
// terminated at any time.
import { parentPort } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import type { JsonSchema } from "../contract/json.js";
import { checkSchema } from "./check-schema.js";
import { compile, type DirectJudge } from "./compile.js";
import type { JudgeJob, JudgeReply } from "./judge-protocol.js";
import { RULES } from "./rules.js";
import { SchemaError } from "./schema-error.js";

const compiled = new LRUCache<string, DirectJudge>({
  max: 200,
  maxSize: 1024 * 1024,
  sizeCalculation: (_judge, key) => key.length,
});

const reply = (message: JudgeReply): void => {
  parentPort?.postMessage(message);
};

parentPort?.on("message", (job: JudgeJob) => {
  try {
    const judge = judgeFor(job);
    reply({ kind: "compiled" });
    reply({ kind: "judged", violations: judge(job.value) });
  } catch (error) {
    const { path, problem } =
      error instanceof SchemaError ? error : { path: [], problem: `cannot be compiled: ${String(error)}` };
    reply({ kind: "refused", path, problem });
  }
});

function judgeFor({ schemaText, trust, allErrors }: JudgeJob): DirectJudge {
  const key = `${trust} ${allErrors} ${schemaText}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const rules = RULES[trust];
  const checked = checkSchema(JSON.parse(schemaText) as JsonSchema, rules);
  const judge = compile(checked, { strict: rules.strict, allErrors });
  compiled.set(key, judge);
  return judge;
}
