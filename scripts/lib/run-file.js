import { relative, resolve } from "node:path";
import { run } from "node:test";
import { inspect } from "node:util";

const CANCELLED = new Set(["cancelledByParent", "testAborted", "testTimeoutFailure"]);

/** Milliseconds as people read them. */
export function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}

export function noCounts() {
  return { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
}

/**
 * Runs one test file with node:test, in a process of its own. A file without a single test is a failure.
 *
 * @param options.timeout milliseconds after which the file's process is ended. Not `run`'s own option of that name: what that
 *   one bounds differs between versions of Node, and in some it leaves the process alive.
 * @returns what to print, what was counted, and the titles of what failed.
 */
export async function runFile(file, { root, timeout, signal, color }) {
  const lines = [];
  const counts = noCounts();
  const failures = [];
  const names = [];
  const overdue = new AbortController();
  const timer = Number.isFinite(timeout) ? setTimeout(() => overdue.abort(), timeout) : undefined;
  const fail = (title, text) => {
    failures.push(title);
    lines.push(`  FAIL ${title}`, indent(text));
  };
  const explain = (error, data) => {
    if (overdue.signal.aborted) return `still running after ${seconds(timeout)}`;
    const place = data.file === undefined ? "" : `${relative(root, data.file)}:${data.line}\n`;
    return place + told(error?.cause ?? error, color);
  };

  for await (const { type, data } of run({
    files: [file],
    signal: AbortSignal.any([signal, overdue.signal]),
  })) {
    if (type === "test:start") names[data.nesting] = data.name;
    if (type === "test:stdout" || type === "test:stderr") {
      for (const line of data.message.split("\n")) if (line.trim() !== "") lines.push(`  | ${line}`);
    }
    if (type !== "test:pass" && type !== "test:fail") continue;
    names[data.nesting] = data.name;
    // A file of its own stands in the report only when it has no test, or when its process failed.
    const isFile = data.nesting === 0 && resolve(root, data.name) === file;
    const title = isFile ? relative(root, file) : names.slice(0, data.nesting + 1).join(" > ");

    const empty = isFile && type === "test:pass";
    if (data.details.type === "suite") counts.suites += 1;
    else {
      counts.tests += 1;
      counts[empty ? "fail" : outcome(type, data)] += 1;
    }
    if (empty) fail(title, "this file ran no test");
    else if (type === "test:pass") {
      if (data.nesting === 0) lines.push(`  ok   ${title} (${seconds(data.details.duration_ms)})`);
    } else if (data.todo !== undefined) lines.push(`  todo ${title}`);
    else if (data.details.error?.failureType !== "subtestsFailed") {
      fail(title, explain(data.details.error, data));
    } else if (failures.length === 0) {
      // What failed inside has been told already; if nothing was, this is all there is.
      failures.push(title);
    }
  }
  clearTimeout(timer);
  if (counts.tests === 0 && failures.length === 0) fail(relative(root, file), "this file ran no test");
  return { lines, counts, failures };
}

function outcome(type, data) {
  if (data.skip !== undefined) return "skipped";
  if (data.todo !== undefined) return "todo";
  if (type === "test:pass") return "pass";
  return CANCELLED.has(data.details.error?.failureType) ? "cancelled" : "fail";
}

function told(cause, color) {
  if (typeof cause === "string") return cause;
  // An assertion's message shows the difference; its fields would show both sides all over again.
  const text = cause?.code === "ERR_ASSERTION" ? cause.stack : inspect(cause, { colors: color, depth: 6 });
  return text.replace(/\n +at .*\bnode:internal.*/g, "");
}

function indent(text) {
  return text.replace(/^/gm, "       ");
}
