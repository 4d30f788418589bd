/**
 * The main job on a Citus cluster, which citus.sh starts: `node lib/testing/citus.ts URL FOLDER`. It distributes a
 * filled database and follows a node. Meanwhile shards move to a second worker, a worker is killed, one hangs, a
 * standby takes its place, and requests are answered. At the end, every answer must be as on SQLite. Exits 1 if
 * anything is wrong.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService } from "#lib/api/service.ts";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { readConfig } from "#lib/config.ts";
import { demoChain } from "#lib/demo/ckb/demo-chain.ts";
import { demoLedger } from "#lib/demo/ckb/demo-ledger.ts";
import { sync } from "#lib/indexer/sync.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { assetChangesOfBlock } from "#lib/queries/block-asset-changes/read.ts";
import { chainTip } from "#lib/queries/chain.ts";
import type { OperationName } from "#lib/queries/operations.ts";
import { handle } from "#lib/server/api-handler.ts";
import { makeCursorKey } from "#lib/store/common-queries.ts";
import { openStore } from "#lib/store/open.ts";
import { PostgresStore } from "#lib/store/postgres/postgres-store.ts";
import type { Query } from "#lib/store/query.ts";
import type { Position } from "#lib/store/rows.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { done } from "#lib/store/rules/steps.ts";
import { all, statement } from "#lib/store/statement.ts";
import type { Store } from "#lib/store/store.ts";
import { storeBlocks } from "#lib/testing/ledger.ts";
import { startPostgres } from "./postgres.ts";

const [url, folder] = process.argv.slice(2);
if (!url || !folder) throw new Error("Start this through citus.sh");

/** Blocks that are reverted and stored again one by one, to be timed. */
const TIMED = 20;
/** Between two blocks of the node, in milliseconds. */
const BLOCK_EVERY = 1_000;

const faults: string[] = [];
const began = performance.now();
const print = (text: string) =>
  process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
function expect(condition: boolean, fault: string): void {
  if (condition) return;
  faults.push(fault);
  print(`WRONG: ${fault}`);
}
const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

const nodes = fileURLToPath(new URL("citus.sh", import.meta.url));
const control = (verb: string, number: number): string =>
  execFileSync("sh", [nodes, "node", folder, verb, String(number)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });

const demo = demoChain({ liveOutputs: 2_000 });
const ledger = demoLedger(demo);
/** Blocks in the tables before they are distributed. */
const FILLED = ledger.forkHeight - 250;
const identity = { network: ledger.network, native: ledger.native, demo: false };

/** Stores blocks as `sync` does. */
async function apply(store: Store, from: number, to: number): Promise<void> {
  await storeBlocks(store, ledger.blocks.slice(from, to));
}

/** Every page of every address, and every block's changes. */
async function answers(store: Store): Promise<string[]> {
  const outputs = ledger.blocks.flatMap((block) => block.transactions).flatMap(({ outputs }) => outputs);
  const found: unknown[] = [];
  for (const addressKey of new Set(outputs.map((output) => output.address.key))) {
    let after: Position | undefined;
    for (;;) {
      const page = await store.query(utxosOfAddress, { addressKey, order: "asc", limit: 100, after });
      found.push([page.tip, page.rows, page.hasNext, page.last]);
      if (!page.hasNext) break;
      after = page.last!;
    }
  }
  for (const { hash } of ledger.blocks) {
    found.push(
      await store.query(assetChangesOfBlock, {
        blockHash: hash,
        assetName: "",
        tags: [],
        offset: 0,
        limit: 100,
      }),
    );
  }
  return found.map((answer) => JSON.stringify(answer));
}

/** The median time in milliseconds to store a block near the tip. */
async function timeSingleBlocks(store: Store): Promise<number> {
  const top = (await store.query(chainTip))!.height;
  await store.write(revertTo, top - TIMED);
  const times: number[] = [];
  for (let height = top - TIMED + 1; height <= top; height++) {
    const start = performance.now();
    await apply(store, height, height + 1);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[TIMED / 2]!;
}

async function timeOneServer(): Promise<number> {
  const server = startPostgres();
  try {
    await server.run("CREATE DATABASE aqs");
    const store = await openStore(server.url("aqs"));
    await store.write(identify, identity);
    await apply(store, 0, FILLED);
    const time = await timeSingleBlocks(store);
    await store.close();
    return time;
  } finally {
    await server.stop();
  }
}

const admin = new pg.Client({ connectionString: url.replace("//aqs@", "//postgres@") });
await admin.connect();
const rows = async (sql: string, values: unknown[] = []) => (await admin.query(sql, values)).rows;
const shards = async () =>
  (
    await rows(
      `SELECT nodeport, count(*)::int AS shards FROM pg_dist_shard_placement JOIN pg_dist_partition p
         ON p.logicalrelid = (SELECT logicalrelid FROM pg_dist_shard s WHERE s.shardid = pg_dist_shard_placement.shardid)
       WHERE p.partmethod = 'h' GROUP BY nodeport ORDER BY nodeport`,
    )
  )
    .map((row) => `${row.shards} on port ${row.nodeport}`)
    .join(", ");
const ownDisk = async () =>
  Number(
    (
      await rows(
        `SELECT sum(pg_relation_size(oid)) AS bytes FROM pg_class
         WHERE oid IN (SELECT logicalrelid FROM pg_dist_partition) OR relname IN ('outputs', 'live_outputs')`,
      )
    )[0].bytes,
  );

const [first, second] = await rows(
  "SELECT nodeid, nodeport FROM pg_dist_node WHERE groupid > 0 ORDER BY nodeid",
);
await rows("SELECT citus_set_node_property('127.0.0.1', $1, 'shouldhaveshards', false)", [second.nodeport]);

const store = new PostgresStore(url);
await store.migrate();
await store.record(makeCursorKey);
await store.write(identify, identity);
for (let from = 0; from < FILLED; from += 300) await apply(store, from, Math.min(from + 300, FILLED));
const before = await ownDisk();
print(`${FILLED} blocks stored in one database; distributing`);
const moved = await store.distribute();
const after = await ownDisk();
print(`${moved.length} tables distributed: ${await shards()}`);
print(`rows on the coordinator's own disk: ${before} bytes before, ${after} after`);
expect(after === 0, "rows stay on the coordinator");
expect((await store.distribute()).length === 0, "a second run distributes again");

// --- requests, all the while -------------------------------------------------------------------------------

const service = await createService(store, readConfig({ DATABASE_URL: url, LOG_LEVEL: "silent" }));
const { token } = await issueToken(store, { name: "test", scopes: [], expiresAt: null, now: Date.now() });
let statuses = new Map<number, number>();
async function request(operation: OperationName, params: Record<string, string>): Promise<number> {
  const reply = await handle(service, operation, {
    method: "GET",
    params,
    query: "",
    header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
  });
  statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
  return reply.status;
}
const addresses = [
  ...new Set(
    ledger.blocks
      .slice(-100)
      .flatMap((block) => block.transactions)
      .flatMap((transaction) => transaction.outputs.map((output) => output.address.text)),
  ),
].slice(0, 20);
const seen = () => {
  const text = [...statuses]
    .sort()
    .map(([status, count]) => `${count} × ${status}`)
    .join(", ");
  const bad = [...statuses.keys()].filter((status) => status !== 200 && status !== 503);
  expect(bad.length === 0, `requests were answered with ${bad.join(", ")}`);
  statuses = new Map();
  return text;
};
let asking = true;
const requests = (async () => {
  for (let i = 0; asking; i++) {
    await request("addressUtxos", { address: addresses[i % addresses.length]! });
    await request("blockAssetChanges", { blockHash: ledger.blocks[i % FILLED]!.hash });
    await wait(20);
  }
})();

// --- sync, all the while -----------------------------------------------------------------------------------

await using node = await StandInNode.start({ blocks: demo.blocks.slice(0, FILLED) });
const stop = new AbortController();
const said: string[] = [];
const following = sync(store, new CkbNode(node.url), {
  signal: stop.signal,
  sleep: (milliseconds) => wait(Math.min(milliseconds, 500)),
  log: (message) => {
    said.push(message);
    print(`sync: ${message}`);
  },
});
let failed = false;
following.catch((error) => {
  failed = true;
  expect(false, `sync ended: ${error}`);
});
let offered = FILLED;
const growing = (async () => {
  for (; offered < ledger.forkHeight && !stop.signal.aborted; offered++) {
    node.setChain(demo.blocks.slice(0, offered + 1));
    await wait(BLOCK_EVERY);
  }
})();
const tip = async () => (await store.query(chainTip))?.height ?? -1;
/** Waits until sync has stored this many more blocks, at most a minute for each. */
async function progress(blocks: number): Promise<void> {
  const from = await tip().catch(() => -1);
  const limit = performance.now() + blocks * 60_000;
  while (!failed) {
    if ((await tip().catch(() => -1)) >= Math.min(from + blocks, ledger.forkHeight - 1)) return;
    if (performance.now() > limit) return expect(false, `sync stored fewer than ${blocks} blocks in time`);
    await wait(100);
  }
}

await progress(3);
print(`sync is at block ${await tip()}; requests so far: ${seen()}`);

const height = await tip();
await rows("SELECT citus_set_node_property('127.0.0.1', $1, 'shouldhaveshards', true)", [second.nodeport]);
await rows("SELECT rebalance_table_shards(shard_transfer_mode => 'force_logical')");
print(
  `rebalanced while sync stored ${(await tip()) - height} blocks: ${await shards()}; requests: ${seen()}`,
);
await progress(2);

// A check reads for long, and each node shows it the state of when it first read there: what comes there later is missing.
const [shard] = await rows(
  `SELECT s.shardid, p.nodeport FROM pg_dist_shard s JOIN pg_dist_shard_placement p USING (shardid)
   WHERE s.logicalrelid = 'outputs'::regclass ORDER BY shardid LIMIT 1`,
);
const target = [first, second].find(({ nodeport }) => nodeport !== shard.nodeport);
const whileMoving: Query<void, void> = {
  effort: "endless",
  *read(db) {
    yield* all(db, statement("SELECT count(*) AS n FROM outputs"));
    yield* done(
      rows("SELECT citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3, 'force_logical')", [
        shard.shardid,
        shard.nodeport,
        target.nodeport,
      ]),
    );
  },
};
const refused = await store.query(whileMoving).then(
  () => "nothing",
  (error: Error) => error.message,
);
expect(
  refused.startsWith("Citus moved shards during a read"),
  `a check that shards moved under said ${refused}`,
);
await progress(2);

const placed = await rows(
  `SELECT a.text, p.nodeport = $1 AS hangs FROM addresses a
   JOIN pg_dist_shard_placement p ON p.shardid = get_shard_id_for_distribution_column('live_outputs', a.key)`,
  [second.nodeport],
);
const [ofHung, ofOthers] = [true, false].map((hangs) => placed.filter((row) => row.hangs === hangs)) as [
  { text: string }[],
  { text: string }[],
];
control("kill", 1);
print("the first worker is killed");
await wait(5_000);
expect((statuses.get(503) ?? 0) > 0, "nothing was answered with 503 while a worker was gone");
print(`requests: ${seen()}`);
control("start", 1);
print("the first worker is back");
await progress(3);
// It says so once it has caught up.
for (let i = 0; i < 600 && !said.includes("the database answers again"); i++) await wait(100);
expect(said.includes("the database answers again"), "sync did not report that the database is back");
seen();
await wait(1_000);
print(`sync is at block ${await tip()}; requests: ${seen()}`);

control("freeze", 2);
print("the second worker hangs");
const [forHung, forOthers]: Promise<number>[][] = [[], []];
for (let round = 0; round < 15; round++) {
  const ask = ({ text }: { text: string }) => request("addressUtxos", { address: text });
  forHung!.push(ask(ofHung[round % ofHung.length]!));
  for (let i = 0; i < 4; i++) forOthers!.push(ask(ofOthers[(4 * round + i) % ofOthers.length]!));
  expect((await service.availability.check()).ready, "the server is not ready while a worker hangs");
  await wait(1_000);
}
const served = (await Promise.all(forOthers!)).filter((status) => status === 200).length;
expect(served === forOthers!.length, "not all requests for other workers were answered while one hangs");
print(`requests for other workers: ${served} of ${forOthers!.length} × 200`);
control("thaw", 2);
await Promise.all(forHung!);
print("the second worker goes on");
await progress(3);
seen();
await wait(1_000);
print(`sync is at block ${await tip()}; requests: ${seen()}`);

const port = control("standby", 1).trim().split("\n").at(-1)!;
await progress(3);
print(`the first worker has a synchronous standby on port ${port}`);
control("kill", 1);
control("promote", 3);
await rows("SELECT citus_update_node($1, '127.0.0.1', $2, force => true, lock_cooldown => 1000)", [
  first.nodeid,
  Number(port),
]);
print("the first worker is killed for good; its standby is promoted, and citus_update_node ran");
await progress(3);
seen();
await wait(1_000);
print(`sync is at block ${await tip()}; requests: ${seen()}; ${await shards()}`);

stop.abort();
await growing;
await following.catch(() => {});
// The end of the chain, with a reorganisation.
node.setChain([...demo.blocks.slice(0, ledger.forkHeight), ...demo.fork]);
await sync(store, new CkbNode(node.url), { once: true });
node.setChain(demo.blocks);
await sync(store, new CkbNode(node.url), { once: true, log: (message) => print(`sync: ${message}`) });
asking = false;
await requests;
print(`sync is at block ${await tip()}, the end; requests: ${seen()}`);

// --- everything is complete and correct ----------------------------------------------------------------------

const start = performance.now();
const broken = await verifyStore(store);
expect(broken.length === 0, `verify: ${broken.slice(0, 5).join("; ")}`);
print(`verify: ${broken.length} faults, in ${((performance.now() - start) / 1000).toFixed(1)} s`);
const sqlite = await openStore("sqlite::memory:");
await sqlite.write(identify, identity);
await apply(sqlite, 0, ledger.blocks.length);
const [ours, theirs] = [await answers(store), await answers(sqlite)];
const wrong = ours.filter((answer, i) => answer !== theirs[i]).length;
const firstWrong = ours.findIndex((answer, i) => answer !== theirs[i]);
expect(wrong === 0, `not as on SQLite: ${ours[firstWrong]} instead of ${theirs[firstWrong]}`);
print(`answers compared with SQLite: ${ours.length}, different: ${wrong}`);
await sqlite.close();

const prepared = await rows("SELECT count(*)::int AS n FROM pg_dist_transaction");
const single = await timeSingleBlocks(store);
print(`single blocks: ${single.toFixed(0)} ms here, ${(await timeOneServer()).toFixed(0)} ms on one server`);
print(`transactions that Citus has still to clear up: ${prepared[0].n}`);
await store.close();
await admin.end();
print(faults.length === 0 ? "All is well." : `${faults.length} faults.`);
process.exit(faults.length === 0 ? 0 : 1);
