import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import { account, CKB, udt } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { Random } from "#lib/demo/ckb/random.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { openStore } from "#lib/store/open.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { postgresBinaries, startPostgres, type ThrowawayServer } from "#lib/testing/postgres.ts";
import { sync } from "./sync.ts";
import { verifyStore } from "./verify/verify.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const issuer = account("issuer");

function grow(chain: ChainBuilder, blocks: number, random: Random): ChainBuilder {
  for (let i = 0; i < blocks; i++) {
    for (let n = random.below(4); n > 0; n--) {
      const to = account(`owner ${random.below(12)}`);
      const token = udt(issuer, "xudt", random.below(5));
      if (random.below(2) === 0) chain.transfer({ to, amount: 400n * CKB });
      else chain.mint({ token, issuer, to, amount: BigInt(random.below(1000)) });
    }
    if (chain.height % 20 === 0) chain.transfer({ to: issuer, amount: 100_000n * CKB });
    chain.block();
  }
  return chain;
}

/**
 * The chains that a node has over time, without end. Each continues the one
 * before, or leaves it some blocks below its tip.
 */
function* story(random: Random): Generator<readonly NodeBlock[], never> {
  let chain = new ChainBuilder();
  chain.transfer({ to: issuer, amount: 1_000_000n * CKB });
  for (;;) {
    grow(chain, random.between(5, 40), random);
    yield chain.blocks;
    if (random.below(3) === 0) chain = chain.fork(chain.height - random.below(Math.min(15, chain.height)));
  }
}

/** `aqs sync --once` in a process of its own. */
function startSync(node: StandInNode, database: string): ChildProcess {
  return spawn(process.execPath, ["lib/cli/main.ts", "sync", "--rpc", node.url, "--once"], {
    cwd: root,
    // Many processes start, and share the code that the first one compiles.
    env: { ...process.env, DATABASE_URL: database, NODE_COMPILE_CACHE: join(folder, "compiled") },
    stdio: "ignore",
  });
}

/**
 * Kills the process that many milliseconds after its first request, unless it ends before. Resolves to the
 * milliseconds that it lived from then on, and to whether it was killed.
 */
async function kill(child: ChildProcess, node: StandInNode, delay: number) {
  let began = 0;
  let timer: NodeJS.Timeout | undefined;
  const forget = node.onRequest(() => {
    forget();
    began = performance.now();
    timer = setTimeout(() => child.kill("SIGKILL"), delay);
  });
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  clearTimeout(timer);
  if (signal === null) expect(code).toBe(0);
  return { killed: signal === "SIGKILL", lived: performance.now() - began };
}

let folder: string;
let server: ThrowawayServer | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aqs-crash-"));
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

async function newDatabase(engine: "sqlite" | "postgres", seed: number): Promise<string> {
  if (engine === "sqlite") return `sqlite:${join(folder, `${seed}.db`)}`;
  server ??= startPostgres();
  await server.run(`CREATE DATABASE crash_${seed}`);
  return server.url(`crash_${seed}`);
}

const lanes = [
  { engine: "sqlite", seed: 1, kills: 25 },
  { engine: "sqlite", seed: 2, kills: 25 },
  ...(postgresBinaries() === null ? [] : [{ engine: "postgres", seed: 3, kills: 8 } as const]),
] as const;

test.concurrent.each(lanes)(
  "a sync into $engine killed $kills times at random moments is sound each time, and ends as if undisturbed",
  async ({ engine, seed, kills }) => {
    const random = new Random(seed);
    const chains = story(random);
    const database = await newDatabase(engine, seed);
    const node = await StandInNode.start();
    try {
      let count = 0;
      let tip: string | undefined;
      // The kills are spread over the time that a busy sync takes.
      let span = 60_000;
      node.setChain(chains.next().value);
      for (let run = 0; count < kills; run++) {
        expect(run).toBeLessThan(20 * kills);
        const delay = run === 0 ? span : random.below(Math.ceil(span));
        const { killed, lived } = await kill(startSync(node, database), node, delay);
        if (killed) count += 1;

        const store = await openStore(database);
        expect(await verifyStore(store)).toEqual([]);
        const before = tip;
        tip = (await store.query(chainTip))?.hash;
        await store.close();
        if (!killed && tip !== before) span = lived;
        if (killed && tip === before) span *= 1.3;
        // An interrupted sync resumes where it stopped, or while the node is already on another branch.
        if (!killed || random.below(2) === 0) node.setChain(chains.next().value);
      }
      const [code] = await once(startSync(node, database), "exit");
      expect(code).toBe(0);

      const undisturbed = await openStore("sqlite::memory:");
      await sync(undisturbed, new CkbNode(node.url), { once: true });
      const store = await openStore(database);
      expect(await verifyStore(store)).toEqual([]);
      expect(await canonicalDump(store)).toBe(await canonicalDump(undisturbed));
      await store.close();
      await undisturbed.close();
    } finally {
      await node.close();
    }
  },
);
