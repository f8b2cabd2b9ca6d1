import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser } from "playwright-core";

/** A real Chromium, and the way to end it and remove what it was unpacked to. */
export interface RealBrowser {
  readonly browser: Browser;
  close(): Promise<void>;
}

/**
 * Starts the Chromium that a package of npm carries, so that the tests need nothing installed. It unpacks itself, and the
 * libraries that it needs, to a folder of its own.
 */
export async function startBrowser(): Promise<RealBrowser> {
  const folder = await mkdtemp(join(tmpdir(), "salvor-browser-"));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  // Without it the package leaves its libraries packed.
  process.env.AWS_LAMBDA_JS_RUNTIME = "nodejs20.x";
  try {
    const { default: packed } = await import("@sparticuz/chromium");
    const executablePath = await packed.executablePath();
    const browser = await chromium.launch({
      executablePath,
      env: { ...process.env, FONTCONFIG_FILE: await fontsIn(folder) },
      // Not the arguments that the package has for its own purpose: they set a page's policy aside.
      args: ["--no-sandbox", "--no-zygote", "--disable-gpu", "--font-render-hinting=none"],
      headless: true,
    });
    return {
      browser,
      async close() {
        await browser.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

/** The fonts of the machine and those of the package, whose own settings look for them in `/tmp` alone. Text without a font has no size. */
async function fontsIn(folder: string): Promise<string> {
  const file = join(folder, "fonts.conf");
  const cache = join(folder, "font-cache");
  await mkdir(cache);
  const dirs = ["/usr/share/fonts", "/usr/local/share/fonts", join(folder, "fonts")];
  await writeFile(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${dirs
      .map((dir) => `<dir>${dir}</dir>`)
      .join("")}<cachedir>${cache}</cachedir></fontconfig>`,
  );
  return file;
}
