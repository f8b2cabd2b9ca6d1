import type { OpenOptions } from "./client-run-options.js";
import { RunCursor } from "./run-cursor.js";
import type { SalvorClient } from "./salvor-client.js";

/** Where a driver stands that opens a run, or goes on with one under a drive token that is still held. */
export async function openCursor(client: SalvorClient, options: OpenOptions): Promise<RunCursor> {
  return options.driveToken === undefined
    ? openedCursor(client, options)
    : heldCursor(client, options.driveToken, options);
}

async function openedCursor(client: SalvorClient, options: OpenOptions): Promise<RunCursor> {
  const { runId = crypto.randomUUID(), agent, recordPrompts, signal } = options;
  const { run, drive_token, log } = await client.openRun({ runId, agent, recordPrompts }, { signal });
  const cursor = new RunCursor(client, { run, driveToken: drive_token });
  cursor.load(log);
  return cursor;
}

async function heldCursor(
  client: SalvorClient,
  driveToken: string,
  { runId, signal }: OpenOptions,
): Promise<RunCursor> {
  if (runId === undefined) throw new TypeError("a drive token says nothing without its runId");
  // Before the log is read: what the one before this opens from now on, it does not execute.
  const cursor = new RunCursor(client, { run: runId.toLowerCase(), driveToken });
  cursor.load(await client.log(runId, 0, { signal }));
  return cursor;
}
