import { after, before, beforeEach } from "node:test";
import { SalvorClient } from "#salvor/client/index.js";
import { TestServer } from "./server.js";
import { ALL, World } from "./tools.js";

/** What the tests of a run have: a server and a client that they share, and each a world and the id of a run. */
export class RunSetting {
  #server: TestServer | undefined;
  world = new World();
  runId = crypto.randomUUID();

  /** Of the tests of the suite, or the file, that it is called in. */
  static use(): RunSetting {
    const setting = new RunSetting();
    before(async () => {
      setting.#server = await TestServer.start(ALL);
    });
    after(() => setting.server.remove());
    beforeEach(() => {
      setting.renew();
    });
    return setting;
  }

  get server(): TestServer {
    if (this.#server === undefined) throw new Error("no test has begun");
    return this.#server;
  }

  get client(): SalvorClient {
    return new SalvorClient({ url: this.server.url });
  }

  renew(): void {
    this.world = new World();
    this.runId = crypto.randomUUID();
  }
}
