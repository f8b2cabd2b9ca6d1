import { withClient } from "../../support/postgres-store.js";

/** Makes the tables of a database those of version 2, in which each row of a run says all that its log means. */
export async function toVersion2(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const { rows } = await client.query("SELECT 1 FROM salvor.runs WHERE meaning_seq IS NOT NULL");
    if (rows.length > 0) throw new Error("version 2 would have written what these runs mean");
    await client.query("ALTER TABLE salvor.runs DROP COLUMN meaning_seq");
    await client.query("DELETE FROM salvor.migrations WHERE version > 2");
  });
}
