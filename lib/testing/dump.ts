import pLimit from "p-limit";
import { PLAIN_OUTPUT } from "#lib/contract/ledger.ts";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { type UtxoRow, utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { assetChangesOfBlock } from "#lib/queries/block-asset-changes/read.ts";
import { blockOverview } from "#lib/queries/block-overview.ts";
import { blockHashAt, blockHeights, heightsOf } from "#lib/queries/chain.ts";
import { dataCoverage } from "#lib/queries/coverage.ts";
import { operatorData } from "#lib/queries/operator-data.ts";
import { pricesAfter } from "#lib/queries/prices.ts";
import { assetChangesOfRange } from "#lib/queries/range-asset-changes/read.ts";
import { dataStatus } from "#lib/queries/status.ts";
import { storedBlock, storedTokens } from "#lib/queries/stored.ts";
import { storedKinds } from "#lib/queries/stored-kinds.ts";
import type { Position } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";

/** More than the length of any list in tests, so that one page has all of it. */
const ALL = 1_000_000;

/** Each is the sum of all blocks above one. */
const MAX_RANGES = 20;

/** Queries that run at once, because a cluster takes long for each. A pool has 10 connections. */
const AT_ONCE = 8;

/**
 * A store's data about the chain, the registry and the prices, one sorted line for each fact. It leaves out engine,
 * surrogate keys and abandoned branches: two stores with the same facts agree byte for byte, whatever their history.
 */
export async function canonicalDump(store: Store): Promise<string> {
  const lines: string[] = [];
  const line = (kind: string, value: unknown) => `${kind} ${canonical(value)}`;
  const write = (kind: string, value: unknown) => lines.push(line(kind, value));
  const limit = pLimit(AT_ONCE);

  const { identity, tip, tipTime, lowestHeight, counts } = await store.query(dataStatus);
  const { abandonedBlocks, accessTokens, ...chainCounts } = counts;
  write("identity", identity);
  write("tip", { tip, tipTime, lowestHeight });
  write("counts", chainCounts);
  write("coverage", await store.query(dataCoverage));
  write("prices", await store.query(pricesAfter, { price: null, limit: ALL }));
  const { registry, icons } = await store.query(operatorData);
  write("registry", registry);
  write(
    "icons",
    icons.map((icon) => ({ ...icon, picture: Buffer.from(icon.picture).toString("hex") })),
  );

  const addresses = new Map<string, string>();
  const heights = await store.query(blockHeights, {});
  write("heights", heights);
  const blockLines = await limit.map(heights, async (height) => {
    const block = await store.query(storedBlock, height);
    for (const { inputs, outputs } of block.transactions) {
      for (const { output } of [...inputs, ...outputs])
        addresses.set(output.address.key, output.address.text);
    }
    const query = { blockHash: block.hash, assetName: "", tags: [], offset: 0, limit: ALL };
    return [
      line("block", block),
      line("by height", { height, hash: await store.query(blockHashAt, height) }),
      line("by hash", await store.query(heightsOf, [block.hash])),
      line("overview", await store.query(blockOverview, block.hash)),
      line("changes", await store.query(assetChangesOfBlock, query)),
      line("by volume", await store.query(assetChangesOfBlock, { ...query, volumeOrder: "desc" })),
    ];
  });
  lines.push(...blockLines.flat());

  const rangeLines = await limit.map(heights.slice(-MAX_RANGES), async (height) => {
    const query = { from: { height }, assetName: "", tags: [], offset: 0, limit: ALL };
    return line("changes above", await store.query(assetChangesOfRange, query));
  });
  lines.push(...rangeLines);

  for (const token of (await store.query(storedTokens, {})).toSorted(byId)) write("token", token);

  const addressLines = await limit.map([...addresses].sort(), async ([addressKey, text]) => {
    const overview = await store.query(addressOverview, { addressKey, limit: ALL });
    const found = [
      line("address", { addressKey, text, ...overview }),
      line("kinds", await kindsOf(store, addressKey)),
      line("outputs", await walk(store, addressKey, "asc")),
      line("newest first", await walk(store, addressKey, "desc")),
    ];
    for (const { token } of overview.holdings) {
      found.push(line("outputs of a token", await walk(store, addressKey, "asc", token.id)));
    }
    return found;
  });
  lines.push(...addressLines.flat());
  return `${lines.join("\n")}\n`;
}

/** The kinds of an address's outputs, with sorted lists. */
async function kindsOf(store: Store, addressKey: string) {
  const all = { kinds: [PLAIN_OUTPUT], rewardsOnly: false, blocks: ALL };
  const { sums, changing, blocks } = await store.query(storedKinds, { addressKey, changing: all });
  const sorted = (list: object[]) => list.map(canonical).sort();
  return [sorted(sums), sorted(changing!), sorted(blocks)];
}

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

async function walk(store: Store, addressKey: string, order: "asc" | "desc", token?: string) {
  const rows: UtxoRow[] = [];
  let after: Position | undefined;
  for (;;) {
    const page = await store.query(utxosOfAddress, { addressKey, token, order, after, limit: 1000 });
    rows.push(...page.rows);
    if (!page.hasNext) return rows.map(({ token: { id }, ...row }) => ({ token: id, ...row }));
    after = page.last!;
  }
}

/** JSON with sorted keys and bigints as digits. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === "bigint") return item.toString();
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
