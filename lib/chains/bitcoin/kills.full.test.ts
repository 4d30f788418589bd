import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Random } from "#lib/demo/ckb/random.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { chainTip, storedHorizon } from "#lib/queries/chain.ts";
import { openStore } from "#lib/store/open.ts";
import { postgresBinaries, startPostgres, type ThrowawayServer } from "#lib/testing/postgres.ts";
import { litecoin } from "./networks.ts";
import { BitcoinNode } from "./node.ts";
import { hasLitecoind, Litecoind, NO_LITECOIND, WITHOUT_MWEB } from "./testing/litecoind.ts";
import { Walk } from "./testing/walk.ts";

// The chain is chosen when the first module is imported.
vi.hoisted(() => vi.stubEnv("CHAIN", "litecoin"));

const root = fileURLToPath(new URL("../../..", import.meta.url));
const RUNS = 12;
/** Twice as many blocks as all reorganisations revert that may come while no sync ends by itself. */
const HISTORY = 60;
/** Steps before the first sync, so that it begins above the blocks that `HISTORY` covers. */
const STEPS_BEFORE = 100;

let folder: string;
let server: ThrowawayServer | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aqs-kills-"));
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

async function databaseOf(engine: "sqlite" | "postgres", name: string): Promise<string> {
  if (engine === "sqlite") return `sqlite:${join(folder, `${name}.db`)}`;
  server ??= startPostgres();
  await server.run(`CREATE DATABASE ${name}`);
  return server.url(name);
}

/** `aqs sync --once` in a process of its own. */
function startSync({ url, cookie }: Litecoind, database: string, options: string[]): ChildProcess {
  const args = ["lib/cli/main.ts", "sync", "--rpc", url, "--rpc-cookie", cookie, "--once", ...options];
  return spawn(process.execPath, args, {
    cwd: root,
    env: {
      ...process.env,
      CHAIN: "litecoin",
      DATABASE_URL: database,
      NODE_COMPILE_CACHE: join(folder, "compiled"),
    },
    stdio: "ignore",
  });
}

const engines = postgresBinaries() === null ? (["sqlite"] as const) : (["sqlite", "postgres"] as const);

describe.skipIf(!hasLitecoind)(`a sync from a real node${hasLitecoind ? "" : `: ${NO_LITECOIND}`}`, () => {
  test.each(engines.flatMap((engine) => [[engine, "whole"] as const, [engine, "limited"] as const]))(
    "into %s with a %s history is sound after each kill, and ends with what the node has",
    async (engine, kept) => {
      const random = new Random(7);
      const database = await databaseOf(engine, kept);
      await using node = await Litecoind.start(WITHOUT_MWEB);
      const walk = new Walk(node, 7);
      await walk.begin();
      for (let step = 0; kept === "limited" && step < STEPS_BEFORE; step++) await walk.step();
      let lived = 0;
      let kills = 0;
      for (let run = 0; run <= RUNS; run++) {
        const begun = performance.now();
        // The later runs remove spent outputs that the first one stored.
        const options = kept === "limited" && run > 0 ? ["--history", String(HISTORY)] : [];
        const child = startSync(node, database, options);
        // The first and the last run end by themselves.
        const delay = run === 0 || run === RUNS ? null : random.below(Math.ceil(lived));
        const timer = delay === null ? undefined : setTimeout(() => child.kill("SIGKILL"), delay);
        const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
        clearTimeout(timer);
        if (signal === null) {
          expect(code).toBe(0);
          lived = performance.now() - begun;
        } else kills += 1;
        const store = await openStore(database);
        try {
          expect(await verifyStore(store)).toEqual([]);
          if (signal === null) {
            const source = new BitcoinNode(litecoin, node.url, { cookie: node.cookie });
            const tip = await source.tip();
            expect(await store.query(chainTip)).toMatchObject(tip);
            if (kept === "limited" && run > 0) {
              expect(await store.query(storedHorizon)).toBe(tip.height - HISTORY);
            }
            await walk.check([{ store, source }]);
          }
        } finally {
          await store.close();
        }
        if (run < RUNS - 1) await walk.step();
      }
      expect(kills).toBeGreaterThan(0);
    },
    600_000,
  );
});
