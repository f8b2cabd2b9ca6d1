import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The licences of the packages that files belong to: they say that their notices go along.
 *
 * @param what says what holds these packages, as `engines.cjs`.
 * @param files relative to the checkout.
 */
export function noticesOf(root, what, files) {
  const folders = new Set(
    files
      .map((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1])
      .filter((folder) => folder !== undefined),
  );
  const notices = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
    if (file === undefined)
      throw new Error(`${name} has no licence file to go along with what is packed of it`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(root, folder, file), "utf8").trim()}\n`;
  });
  return `${what} holds these packages.\n\n${notices.join(`\n${"-".repeat(80)}\n\n`)}`;
}
