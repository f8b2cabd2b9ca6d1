import { checkBooks } from "./check-books.js";
import { recordedWrites } from "./recorded-writes.js";
import type { Stage } from "./stage.js";

/** Prints the provider's books beside the server's logs; answers everything that is not as it should be. */
export async function closing(stage: Stage): Promise<readonly string[]> {
  const { story, expected, ledger, requests } = stage;
  const writes = await recordedWrites(stage.reader);
  story.title("The provider's ledger");
  story.table([
    ["key", "payment", "for", "amount", "receipt", "requests", "calls in the log"],
    ...ledger.map(({ key, path, body, receipt }) => {
      const [whom, amount] = Object.values(body as object).map(String);
      const [id] = Object.values(receipt).map(String);
      const asked = requests.filter((line) => line.key === key).length;
      const calls = writes.filter((write) => write.key === key).length;
      const start = `${key.slice(0, 15)}…`;
      return [start, path.slice(1, -1), whom ?? "", amount ?? "", id ?? "", String(asked), String(calls)];
    }),
  ]);
  const problems = checkBooks({ expected, ledger, requests, writes });
  story.title(problems.length === 0 ? "The books agree" : "The books do not agree");
  for (const problem of problems) story.says(`- ${problem}`);
  if (problems.length === 0) {
    story.says(
      `${expected.length} payments were due. The ledger has ${ledger.length} lines, ${requests.length} requests reached the ` +
        `provider, and each of the ${writes.length} writes in the server's logs ends in the receipt under its key.`,
    );
  }
  return problems;
}
