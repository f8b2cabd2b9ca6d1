// The operator's page in a real Chromium, against a real server: one browser for all of it.
import { after, before, describe } from "node:test";
import { amounts } from "./journeys/amounts.js";
import { deciding } from "./journeys/deciding.js";
import { drafts } from "./journeys/drafts.js";
import { forms } from "./journeys/forms.js";
import { hostile } from "./journeys/hostile.js";
import { listing } from "./journeys/listing.js";
import { looks } from "./journeys/looks.js";
import { plainWords } from "./journeys/plain-words.js";
import { reading } from "./journeys/reading.js";
import { settled } from "./journeys/settled.js";
import { together } from "./journeys/together.js";
import { tokens } from "./journeys/tokens.js";
import { startBrowser, type RealBrowser } from "./support/browser.js";

describe("the operator's page", () => {
  let real: RealBrowser;
  before(async () => {
    real = await startBrowser();
  });
  after(() => real.close());
  for (const journey of [
    deciding,
    amounts,
    drafts,
    settled,
    plainWords,
    forms,
    together,
    tokens,
    hostile,
    reading,
    listing,
    looks,
  ])
    journey(() => real.browser);
});
