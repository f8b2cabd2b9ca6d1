import { TestServer } from "../support/test-server.js";

/** Holds a row on a server of its own. */
export async function onOwn(
  options: Parameters<typeof TestServer.start>[0],
  holds: (own: TestServer) => Promise<void>,
): Promise<void> {
  const own = await TestServer.start(options);
  try {
    await holds(own);
  } finally {
    await own.stop();
  }
}
