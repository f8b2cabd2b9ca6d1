// npm run demo: the refund desk's story, on real processes, offline. Exits 0 only if every payment is what it should be.
//
// With --keep the server runs on afterwards, with a run in every state to look at, until this is interrupted; the folder stays.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { askedTwice } from "./acts/asked-twice.js";
import { deskKilled } from "./acts/desk-killed.js";
import { goodPath } from "./acts/good-path.js";
import { payout } from "./acts/payout.js";
import { reportWithAnotherAmount } from "./acts/report-with-another-amount.js";
import { reportWithoutReceipt } from "./acts/report-without-receipt.js";
import { serverKilled } from "./acts/server-killed.js";
import { closing } from "./closing.js";
import { Company } from "./company.js";
import { everyState } from "./every-state.js";
import { Stage } from "./stage.js";
import { Story } from "./story.js";
import { StoryError } from "./story-error.js";

/** The story takes some seconds, also on a busy machine; one that takes this long hangs. */
const DEADLINE_MS = 120_000;

const ACTS = [
  goodPath,
  reportWithoutReceipt,
  reportWithAnotherAmount,
  askedTwice,
  serverKilled,
  deskKilled,
  payout,
];

const { values } = parseArgs({ options: { keep: { type: "boolean", default: false } } });
const color = process.stdout.isTTY && process.env["NO_COLOR"] === undefined;
const story = new Story((line) => process.stdout.write(`${line}\n`), color);
const company = new Company();
const folder = mkdtempSync(join(tmpdir(), "salvor-refund-desk-"));

const interruption = new AbortController();
const interrupted = new Promise<number>((end) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      interruption.abort();
      end(130);
    });
  }
});

try {
  const stage = new Stage(story, company, folder, values.keep);
  process.exitCode = await Promise.race([told(stage), interrupted]);
  if (values.keep && !interruption.signal.aborted && stage.url !== "") {
    await keepServing(stage);
    await interrupted;
  }
} finally {
  await company.close();
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
}
// What still waits for a process that is gone now does not have to find that out.
process.exit();

/** Tells the story; answers its exit code. */
async function told(stage: Stage): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => {
      fail(new StoryError(`it is not over after ${DEADLINE_MS / 1000} s`));
    }, DEADLINE_MS);
  });
  try {
    return await Promise.race([play(stage), late]);
  } catch (error) {
    // Ctrl-C goes to every process of the story, and then each of them ends in the middle of something.
    if (interruption.signal.aborted) return await interrupted;
    const words = error instanceof Error && !(error instanceof StoryError) ? error.stack : undefined;
    story.title("The story went wrong");
    story.says(words ?? String(error instanceof Error ? error.message : error));
    return 1;
  } finally {
    clearTimeout(timer);
  }
}

async function play(stage: Stage): Promise<number> {
  await stage.startProvider();
  await stage.startServer();
  story.title("The refund desk");
  story.says(
    `A payment provider, a Salvor server (${stage.url}) and a desk, each a process of its own. The desk has the ` +
      "provider's secret and a client token. The server has no secret and no code of the desk's, only what the operator " +
      "declared: two tools.",
  );
  for (const act of ACTS) await act(stage);
  const problems = await closing(stage);
  return problems.length === 0 ? 0 : 1;
}

async function keepServing(stage: Stage): Promise<void> {
  const { url, serverPid, dataFolder, tokens } = stage;
  const exhibits = await everyState(stage);
  story.title("The server goes on");
  story.says(
    `At ${url} (pid ${serverPid}), its data in ${dataFolder}, until you press Ctrl-C. Open that address in a browser, and give ` +
      "the page this token, the operator's:",
  );
  story.says(tokens["SALVOR_OPERATOR_TOKEN"] ?? "");
  story.says("The inbox shows what waits for you. Besides what the story has left, there are:");
  story.table(exhibits.map(({ run, about }) => [`${url}/runs/${run}`, about]));
  story.says("The same on the command line, in another terminal:");
  for (const [name, token] of Object.entries(tokens)) story.types([`export ${name}=${token}`]);
  story.types([`export SALVOR_URL=${url}`]);
  story.types(["npx --no-install salvor list --auth-token SALVOR_CLIENT_TOKEN"]);
}
