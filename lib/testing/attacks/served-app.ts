import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueToken } from "#lib/api/access-tokens.ts";
import { demoChain } from "#lib/demo/ckb/demo-chain.ts";
import { demoLedger } from "#lib/demo/ckb/demo-ledger.ts";
import { loadDemo } from "#lib/demo/load.ts";
import { openStore } from "#lib/store/open.ts";
import { allocation, nodeFlags } from "#lib/testing/node-flags.ts";
import { check, residentKb } from "./drill.ts";

/** A database with the demo chain. */
interface DemoDatabase {
  url: string;
  token: string;
  /** The demo's own list of addresses and blocks worth a look. */
  notable: ReturnType<typeof demoChain>["notable"];
  remove(): void;
}

/** The built app, as a process of its own. */
interface ServerProcess {
  origin: string;
  port: number;
  pid: number;
  /** Everything that the server has printed. */
  log(): string;
  /** Resident memory in MB. */
  memory(): number;
  /** Most resident memory so far, in MB. */
  peakMemory(): number;
  /** A connection of an attacker; its errors are expected. */
  connect(): Socket;
  /** Resolves when the process has ended, to its exit code, or to null after a signal. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The built app with the demo chain, as the attacks see it. */
export type ServedApp = ServerProcess & Pick<DemoDatabase, "token" | "notable">;

/** Serves the demo chain with the app that `npm run build` built, on a free port. */
export async function serveApp(settings: Record<string, string> = {}): Promise<ServedApp> {
  const { url, token, notable, remove } = await demoDatabase();
  const server = await startServer(url, settings);
  return {
    ...server,
    token,
    notable,
    async stop(signal) {
      const code = await server.stop(signal);
      remove();
      return code;
    },
  };
}

/** Makes a database with the demo chain: at this URL if one is given, otherwise in a folder of its own. */
export async function demoDatabase(given?: string): Promise<DemoDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "aqs-attack-"));
  const url = given ?? `sqlite:${join(folder, "demo.db")}`;
  const chain = demoChain();
  const store = await openStore(url);
  await loadDemo(store, demoLedger(chain));
  const { token } = await issueToken(store, { name: "attack", scopes: [], expiresAt: null, now: Date.now() });
  await store.close();
  return {
    url,
    token,
    notable: chain.notable,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts the built app on a database. Without a `PORT` it takes a free one. */
export async function startServer(
  database: string,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  // These are the settings of `npm start`.
  const server = spawn(process.execPath, [...nodeFlags("start"), "lib/server/production.ts"], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      ...allocation("start"),
      DATABASE_URL: database,
      PORT: "0",
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = () => server.kill("SIGKILL");
  process.once("exit", kill);
  server.once("exit", () => process.off("exit", kill));
  let log = "";
  const origin = await new Promise<string>((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        log += chunk.toString();
        const listening = /Listening on (\S+)/.exec(log)?.[1];
        if (listening) resolve(listening);
      });
    }
    server.once("exit", () =>
      reject(new Error(`The server ended. Run npm run build first. It printed:\n${log}`)),
    );
  });
  const port = Number(new URL(origin).port);
  return {
    origin,
    port,
    pid: server.pid!,
    log: () => log,
    memory: () => Math.round(residentKb(server.pid, "VmRSS") / 1024),
    peakMemory: () => Math.round(residentKb(server.pid, "VmHWM") / 1024),
    connect: () => connect(port, "127.0.0.1").on("error", () => {}),
    async stop(signal = "SIGKILL") {
      const ended = new Promise<number | null>((resolve) => server.once("exit", resolve));
      server.kill(signal);
      return ended;
    },
  };
}

/** Milliseconds until a health check answers with 200; `limit` if it fails or takes longer. */
export async function healthDelay(
  { origin }: Pick<ServedApp, "origin">,
  path: string,
  limit: number,
): Promise<number> {
  const start = performance.now();
  try {
    const response = await fetch(origin + path, { signal: AbortSignal.timeout(limit) });
    await response.text();
    if (response.status !== 200) throw new Error(`status ${response.status}`);
  } catch (error) {
    console.log(`${path} failed after ${Math.round(performance.now() - start)} ms: ${error}`);
    return limit;
  }
  return Math.round(performance.now() - start);
}

/** Prints what was measured and sets the exit code: 1 if any check failed. */
export function report(checks: [what: string, measured: string | number, held: boolean][]): void {
  for (const [what, measured, held] of checks) check(held, what, String(measured));
}
