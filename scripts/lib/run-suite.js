import { relative, resolve } from "node:path";
import { run } from "node:test";
import { inspect } from "node:util";

const CANCELLED = new Set(["cancelledByParent", "testAborted", "testTimeoutFailure"]);

/**
 * Runs test files with node:test, each in a process of its own, and prints what they say as they say it.
 *
 * A file without a single test is a failure, and so is a suite in which nothing was executed: a guard that silently does not
 * run does not guard.
 *
 * @param options.timeout milliseconds that one file may take.
 * @param options.print takes a line of text.
 */
export async function runSuite(suite, { root, concurrency, timeout, signal, color, print }) {
  const files = new Set(suite.files);
  const counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
  const failures = [];
  const names = [];
  const fail = (where, text) => {
    failures.push(where);
    print(`  FAIL ${where}\n${indent(text)}`);
  };

  for await (const { type, data } of run({ files: suite.files, concurrency, timeout, signal })) {
    if (type === "test:start") names[data.nesting] = data.name;
    if (type === "test:stdout" || type === "test:stderr") {
      for (const line of data.message.split("\n")) if (line.trim() !== "") print(`  | ${line}`);
    }
    if (type !== "test:pass" && type !== "test:fail") continue;
    // A file of its own stands in the report only when it has no test, or when its process failed.
    const isFile = data.nesting === 0 && files.has(resolve(root, data.name));
    names[data.nesting] = data.name;
    const title = isFile
      ? relative(root, resolve(root, data.name))
      : names.slice(0, data.nesting + 1).join(" > ");
    const error = data.details.error;

    if (isFile && type === "test:pass") {
      counts.tests += 1;
      counts.fail += 1;
      fail(title, "this file ran no test");
      continue;
    }
    if (data.details.type === "suite") counts.suites += 1;
    else {
      counts.tests += 1;
      counts[outcome(type, data)] += 1;
    }
    if (type === "test:pass") {
      if (data.nesting === 0) print(`  ok   ${title} (${seconds(data.details.duration_ms)})`);
    } else if (data.todo !== undefined) print(`  todo ${title}`);
    else if (error?.failureType !== "subtestsFailed") {
      fail(title, explain(error, data, { root, timeout, color }));
    } else if (failures.length === 0) {
      // What failed inside has been told already; if nothing was, this is all there is.
      failures.push(title);
    }
  }

  if (counts.pass + counts.fail + counts.cancelled === 0)
    fail(`test/${suite.name}`, "nothing was executed in this suite");
  return { counts, failures };
}

function outcome(type, data) {
  if (data.skip !== undefined) return "skipped";
  if (data.todo !== undefined) return "todo";
  if (type === "test:pass") return "pass";
  return CANCELLED.has(data.details.error?.failureType) ? "cancelled" : "fail";
}

function explain(error, data, { root, timeout, color }) {
  if (error?.failureType === "testTimeoutFailure") return `still running after ${seconds(timeout)}`;
  const place = data.file === undefined ? "" : `${relative(root, data.file)}:${data.line}\n`;
  const cause = error?.cause ?? error;
  if (typeof cause === "string") return place + cause;
  // An assertion's message shows the difference; its fields would show both sides all over again.
  const text = cause?.code === "ERR_ASSERTION" ? cause.stack : inspect(cause, { colors: color, depth: 6 });
  return place + text.replace(/\n +at .*\bnode:internal.*/g, "");
}

function indent(text) {
  return text.replace(/^/gm, "       ");
}

/** Milliseconds as people read them. */
export function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
