import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { EVENT_TIMEOUT } from "./timeouts.ts";

/** A PostgreSQL server of its own, for as long as the process lives. */
export interface ThrowawayServer {
  /** URL of a database on it. */
  url(database: string): string;
  /** Runs one statement in the `postgres` database. */
  run(sql: string): Promise<void>;
  /** Cuts all connections and starts the server again, after `work` if it is given. */
  restart(work?: () => Promise<void>): Promise<void>;
  /** Suspends all its processes: it keeps its connections and accepts new ones, but does not respond. */
  freeze(): void;
  thaw(): void;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
  /** Its folder, which holds the data and the socket. */
  folder: string;
}

/** The folder of the newest server binaries: of `PATH`, or where distributions put them; null if there are none. */
export function postgresBinaries(): string | null {
  const onPath = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const packaged = globSync("/usr/lib/postgresql/*/bin").sort(
    (a, b) => Number(b.split("/")[4]) - Number(a.split("/")[4]),
  );
  const has = (folder: string) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "pg_ctl"));
  const folder = [...onPath, ...packaged].find(has);
  // PATH may have links to some of the programs only.
  return folder === undefined ? null : dirname(realpathSync(join(folder, "initdb")));
}

/** Seconds that `pg_ctl` waits for the server to start or stop. */
const WAITING = ["-w", "-s", "-t", String(EVENT_TIMEOUT / 1000)];

/** Message if no server can be started. */
export const NO_POSTGRES =
  "no PostgreSQL server here: neither PATH nor /usr/lib/postgresql/*/bin has initdb and pg_ctl";

/** PostgreSQL refuses to run as root, so it runs as the user of its package. */
export function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Settings for measurements: more memory, and no automatic vacuum. */
export const BENCH_SETTINGS = {
  shared_buffers: "1GB",
  max_wal_size: "8GB",
  maintenance_work_mem: "256MB",
  autovacuum: "off",
};

/**
 * Starts a server on a Unix socket in a new folder; nothing survives a crash. A watcher waits for its pipe to this
 * process to close, then stops the server and removes the folder.
 * @param primary a server that this one becomes a streaming replica of
 */
export function startPostgres(
  settings: Record<string, string> = {},
  primary?: Pick<ThrowawayServer, "folder">,
): ThrowawayServer {
  const bin = postgresBinaries();
  if (bin === null) throw new Error(NO_POSTGRES);
  const user = serverUser();
  // Short, because the path of a socket is at most 107 bytes.
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "aqs-pg-"));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const run = (program: string, args: string[]) =>
    execFileSync(join(bin, program), args, { ...user, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  if (primary) {
    run("pg_basebackup", ["-D", data, "-h", primary.folder, "-U", "test", "-R", "-c", "fast", "--no-sync"]);
  } else {
    run("initdb", ["-D", data, "-A", "trust", "-U", "test", "--no-sync", "-E", "UTF8", "--locale=C"]);
  }
  const all = {
    listen_addresses: "",
    unix_socket_directories: folder,
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    max_connections: "200",
    ...settings,
  };
  const options = Object.entries(all).map(([name, value]) => `-c ${name}='${value}'`);
  run("pg_ctl", ["-D", data, ...WAITING, "-l", join(folder, "log"), "-o", options.join(" "), "start"]);

  const watcher = spawn(
    "sh",
    [
      "-c",
      'cat > /dev/null; "$0" -D "$1" -m immediate -s stop; rm -rf "$2"',
      join(bin, "pg_ctl"),
      data,
      folder,
    ],
    { ...user, cwd: "/", detached: true, stdio: ["pipe", "ignore", "ignore"] },
  );
  watcher.unref();
  (watcher.stdin as unknown as { unref(): void }).unref();

  const control = async (...args: string[]) => {
    const all = ["-D", data, ...WAITING, "-l", join(folder, "log"), ...args];
    await promisify(execFile)(join(bin, "pg_ctl"), all, { ...user, cwd: folder });
  };
  const signal = (name: NodeJS.Signals) => {
    const main = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]!;
    const children = readFileSync(`/proc/${main}/task/${main}/children`, "utf8").trim().split(" ");
    for (const pid of [main, ...children]) process.kill(Number(pid), name);
  };

  const url = (database: string) => `postgres://test@/${database}?host=${encodeURIComponent(folder)}`;
  return {
    folder,
    url,
    async run(sql) {
      const client = new pg.Client({ connectionString: url("postgres") });
      await client.connect();
      try {
        await client.query(sql);
      } finally {
        await client.end();
      }
    },
    async restart(work = async () => {}) {
      await control("-m", "fast", "stop");
      await work();
      await control("-o", options.join(" "), "start");
    },
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    async stop() {
      watcher.ref();
      const exited = once(watcher, "exit");
      watcher.stdin?.end();
      await exited;
      // The watcher cannot remove a folder from a directory that belongs to another user.
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
