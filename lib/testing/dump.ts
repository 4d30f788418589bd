import type { Position, Store, UtxoRow } from "#lib/store/store.ts";

/** More than any list that a test makes: what is asked for is the whole. */
const ALL = 1_000_000;

/**
 * Everything that a store answers and that is a function of the chain, the registry and the prices, as text:
 * one line a fact, in an order of its own. No engine, no surrogate key and nothing of abandoned branches is
 * in it, so that two stores that hold the same agree byte for byte, whatever led there.
 */
export async function canonicalDump(store: Store): Promise<string> {
  const lines: string[] = [];
  const write = (kind: string, value: unknown) => lines.push(`${kind} ${canonical(value)}`);

  const { identity, tip, tipTime, lowestHeight, counts } = await store.status();
  const { abandonedBlocks, accessTokens, ...chainCounts } = counts;
  write("identity", identity);
  write("tip", { tip, tipTime, lowestHeight });
  write("counts", chainCounts);
  write("coverage", await store.coverage());
  write("prices", await store.pricesAfter(null, ALL));
  const { registry, icons } = await store.operatorData();
  write("registry", registry);
  write(
    "icons",
    icons.map((icon) => ({ ...icon, picture: Buffer.from(icon.picture).toString("hex") })),
  );

  const addresses = new Map<string, string>();
  const heights = await store.heights();
  write("heights", heights);
  for (const height of heights) {
    const block = await store.storedBlock(height);
    write("block", block);
    for (const { inputs, outputs } of block.transactions) {
      for (const { output } of [...inputs, ...outputs])
        addresses.set(output.address.key, output.address.text);
    }
    write("by height", { height, hash: await store.blockHashAt(height) });
    write("by hash", await store.hasBlocks([block.hash]));
    write("overview", await store.blockOverview(block.hash));
    const query = { blockHash: block.hash, assetName: "", tags: [], offset: 0, limit: ALL };
    write("changes", await store.assetChangesOfBlock(query));
    write("by volume", await store.assetChangesOfBlock({ ...query, volumeOrder: "desc" }));
  }

  for (const token of (await store.storedTokens()).toSorted(byId)) write("token", token);

  for (const [addressKey, text] of [...addresses].sort()) {
    const overview = await store.addressOverview(addressKey, ALL);
    // Holdings with equally many outputs come in no promised order.
    const holdings = overview.holdings.toSorted((a, b) => byId(a.token, b.token));
    write("address", { addressKey, text, ...overview, holdings });
    write("outputs", await walk(store, addressKey, "asc"));
    write("newest first", await walk(store, addressKey, "desc"));
    for (const { token } of holdings) {
      write("outputs of a token", await walk(store, addressKey, "asc", token.id));
    }
  }
  return `${lines.join("\n")}\n`;
}

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

async function walk(store: Store, addressKey: string, order: "asc" | "desc", token?: string) {
  const rows: UtxoRow[] = [];
  let after: Position | undefined;
  for (;;) {
    const page = await store.utxosOfAddress({ addressKey, token, order, after, limit: 1000 });
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
