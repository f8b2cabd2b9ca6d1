import type { Locator, Page } from "playwright-core";
import type { DrivenRun } from "./driven-run.js";

/** The card of a run in the inbox. */
export function cardOf(page: Page, run: DrivenRun): Locator {
  return page.locator(`article[aria-labelledby="run-${run.id}"]`);
}

/** Presses a button of a card, or of whatever else holds it. */
export async function press(place: Page | Locator, name: string | RegExp): Promise<void> {
  await place.getByRole("button", { name }).click();
}
