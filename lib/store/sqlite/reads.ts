import { valueInUsd } from "#lib/contract/amounts.ts";
import type { ChangingOutputs } from "#lib/contract/chain.ts";
import { exhaustive } from "#lib/contract/exhaustive.ts";
import type { BlockFacts, OutPoint } from "#lib/contract/ledger.ts";
import {
  type Bound,
  boundOf,
  isCurrent,
  resumeAfter,
  sumsByKind,
  TIP_SQL,
  type TipColumns,
  toTip,
} from "#lib/store/common-queries.ts";
import { foldCase } from "#lib/store/rules/names.ts";
import { runAtOnce } from "#lib/store/rules/steps.ts";
import {
  type AddressOverview,
  type AssetChangePage,
  type AssetChangeQuery,
  type AssetChangeRow,
  type BlockFigures,
  type BlockHeader,
  type BlockOverview,
  type CapacityByKind,
  type ChainIdentity,
  type HoldingQuery,
  heightRanges,
  type IndexTip,
  type KindSum,
  MAX_AGED_OUTPUTS,
  MAX_CHANGING_OUTPUTS,
  type NamedAsset,
  type OutputAge,
  type Position,
  type Tip,
  type TokenRow,
  type UtxoPage,
  type UtxoQuery,
  type UtxoRow,
} from "#lib/store/store.ts";
import { firstId, heightOf, indexOf } from "#lib/store/transaction-id.ts";
import type { Database } from "./database.ts";
import { fromBlob, toBlob } from "./encoding.ts";

const TOKEN_COLUMNS = `
  t.id AS token_id, t.asset_id, t.layer, t.parent_id, CAST(t.supply AS TEXT) AS supply, t.description, t.public,
  (SELECT '0x' || lower(hex(b.hash)) FROM blocks b WHERE b.height = t.first_height) AS first_block,
  (SELECT b.timestamp FROM blocks b WHERE b.height = t.first_mint_height) AS first_mint,
  t.keywords, t.name, t.icon, t.symbol, t.decimals, t.standard`;

type TokenColumns = {
  token_id: number;
  asset_id: string;
  layer: number;
  parent_id: string;
  supply: string;
  description: string;
  public: number;
  first_block: string | null;
  first_mint: number | null;
  keywords: string;
  name: string;
  icon: string;
  symbol: string;
  decimals: number;
  standard: string;
};

function toTokenRow(row: TokenColumns): TokenRow {
  return {
    layer: row.layer,
    parentId: row.parent_id,
    totalSupply: row.supply,
    description: row.description,
    public: row.public === 1,
    firstFoundBlock: row.first_block ?? "",
    firstMintAt: row.first_mint === null ? "" : new Date(row.first_mint).toISOString(),
    keywords: row.keywords,
    id: row.asset_id,
    name: row.name,
    icon: row.icon,
    symbol: row.symbol,
    decimals: row.decimals,
    standard: row.standard,
  };
}

/** Tokens as they were read, while nothing was written: most pages show the same few again and again. */
const remembered = new WeakMap<Database, { version: string; tokens: Map<number, TokenRow> }>();
const MAX_REMEMBERED = 10_000;

/** Token information by id for the length of a snapshot; the same object for the same state of the data. */
function tokenReader(db: Database): (id: number) => TokenRow {
  const version = db.dataVersion;
  let memory = remembered.get(db);
  if (memory?.version !== version || memory.tokens.size > MAX_REMEMBERED) {
    memory = { version, tokens: new Map() };
    remembered.set(db, memory);
  }
  const { tokens } = memory;
  return (id) => {
    let info = tokens.get(id);
    if (!info) {
      info = readToken(db, id);
      tokens.set(id, info);
    }
    return info;
  };
}

export function readToken(db: Database, id: number): TokenRow {
  return toTokenRow(db.get<TokenColumns>(`SELECT ${TOKEN_COLUMNS} FROM tokens t WHERE t.id = ?`, id)!);
}

export function readTip(db: Database): IndexTip | null {
  const row = db.get<TipColumns>(TIP_SQL);
  return row ? toTip(row) : null;
}

export function readIdentity(db: Database): ChainIdentity | null {
  const row = db.get<{ value: string }>("SELECT value FROM state WHERE key = 'identity'");
  return row ? (JSON.parse(row.value) as ChainIdentity) : null;
}

/**
 * The page's statement: one range scan of a live index, in either direction. Hashes come as SQLite writes them, in
 * capitals: making them ours there takes as long as half of the rest.
 */
function pageSql(byToken: boolean, order: "asc" | "desc"): string {
  const index = byToken ? "live_outputs_by_token" : "live_outputs";
  const direction = order === "asc" ? "ASC" : "DESC";
  return `
    SELECT o.transaction_id, o.output_index, o.token_id, hex(x.hash) AS hash,
           CAST(o.amount AS TEXT) AS amount, CAST(o.capacity AS TEXT) AS capacity
    FROM outputs o INDEXED BY ${index} CROSS JOIN transactions x ON x.id = o.transaction_id
    WHERE o.address_id = ? ${byToken ? "AND o.token_id = ?" : ""} AND o.spent_transaction_id IS NULL
      AND (o.transaction_id, o.output_index) ${order === "asc" ? ">" : "<"} (?, ?)
    ORDER BY o.transaction_id ${direction}, o.output_index ${direction}
    LIMIT ?`;
}

type OutputTuple = [
  transactionId: number,
  outputIndex: number,
  tokenId: number,
  hash: string,
  /** Null for the native asset, whose amount is the capacity. */
  amount: string | null,
  capacity: string,
];

export function readUtxos(db: Database, query: UtxoQuery): UtxoPage {
  const { addressKey, token: assetId, order, after, limit, ...rest } = query;
  exhaustive(rest);
  return db.snapshot(() => {
    const tip = readTip(db);
    const start = after && boundAfter(db, after, order);
    const empty: UtxoPage = { tip, rows: [], hasNext: false, last: null };
    const address = db.get<{ id: number }>("SELECT id FROM addresses WHERE key = ?", toBlob(addressKey));
    const token =
      assetId === undefined
        ? undefined
        : db.get<{ id: number }>("SELECT id FROM tokens WHERE asset_id = ?", assetId);
    if (!address || (assetId !== undefined && !token)) return empty;

    const bound =
      start ?? (order === "asc" ? { id: -1, index: -1 } : { id: Number.MAX_SAFE_INTEGER, index: 0 });
    const found = db.allTuples<OutputTuple>(
      pageSql(token !== undefined, order),
      ...(token ? [address.id, token.id] : [address.id]),
      bound.id,
      bound.index,
      limit + 1,
    );
    const hasNext = found.length > limit;
    if (hasNext) found.pop();

    const tokenInfo = tokenReader(db);
    const rows = found.map(
      ([id, outputIndex, tokenId, hash, amount, capacity]): UtxoRow => ({
        token: tokenInfo(tokenId),
        height: heightOf(id),
        transactionHash: `0x${hash.toLowerCase()}`,
        outputIndex,
        amount: amount ?? capacity,
        capacity,
      }),
    );
    return { tip, rows, hasNext, last: tip && lastPosition(db, found.at(-1), tip) };
  });
}

export function readOutputKinds(db: Database, outPoints: readonly OutPoint[]): (string | null)[] {
  return db.snapshot(() =>
    outPoints.map(
      ({ transactionHash, outputIndex }) =>
        db.get<{ kind: string | null }>(
          `SELECT o.kind FROM transactions x JOIN outputs o ON o.transaction_id = x.id AND o.output_index = ?
           WHERE x.hash = ?`,
          outputIndex,
          toBlob(transactionHash),
        )?.kind ?? null,
    ),
  );
}

export function readBlockFacts(db: Database, heights: readonly number[]): BlockFacts[] {
  return db
    .all<{ height: number; timestamp: number; header_facts: Uint8Array | null }>(
      "SELECT height, timestamp, header_facts FROM blocks WHERE height IN (SELECT value FROM json_each(?))",
      JSON.stringify(heights),
    )
    .map(({ height, timestamp, header_facts }) => ({
      height,
      timestamp,
      headerFacts: header_facts && fromBlob(header_facts),
    }));
}

export function readCapacityByKind(
  db: Database,
  addressKey: string,
  { kinds, rewardsOnly, blocks }: ChangingOutputs,
): CapacityByKind {
  return db.snapshot(() => {
    const tip = readTip(db);
    const address = db.get<{ id: number }>("SELECT id FROM addresses WHERE key = ?", toBlob(addressKey));
    if (!tip || !address) return { tip, sums: [], changing: [], blocks: [] };
    const byStandard = db.all<KindSum>(
      `SELECT t.standard AS kind, h.output_count AS outputCount, CAST(h.capacity AS TEXT) AS capacity
       FROM holdings h JOIN tokens t ON t.id = h.token_id WHERE h.address_id = ?`,
      address.id,
    );
    const byKind = db.all<KindSum>(
      "SELECT kind, output_count AS outputCount, CAST(capacity AS TEXT) AS capacity FROM kinds WHERE address_id = ?",
      address.id,
    );
    const sums = sumsByKind(byStandard, byKind);
    const rows = sums.some(({ kind }) => kinds.includes(kind))
      ? db.all<{ id: number; kind: string | null; capacity: string }>(
          `SELECT o.transaction_id AS id, o.kind, CAST(o.capacity AS TEXT) AS capacity
           FROM outputs o INDEXED BY live_outputs
           WHERE o.address_id = ? AND o.spent_transaction_id IS NULL AND o.transaction_id >= ?
             AND o.amount IS NULL ${rewardsOnly ? `AND o.transaction_id % ${firstId(1)} = 0` : ""}
           LIMIT ?`,
          address.id,
          firstId(Math.max(0, tip.height + 1 - blocks)),
          MAX_CHANGING_OUTPUTS + 1,
        )
      : [];
    const changing = rows.flatMap(({ id, kind, capacity }) =>
      kind !== null && kinds.includes(kind) ? [{ kind, height: heightOf(id), capacity }] : [],
    );
    return {
      tip,
      sums,
      changing: rows.length > MAX_CHANGING_OUTPUTS ? null : changing,
      blocks: readBlockFacts(db, [tip.height, ...changing.map(({ height }) => height)]),
    };
  });
}

function lastPosition(db: Database, row: OutputTuple | undefined, readAt: Tip): Position | null {
  if (!row) return null;
  const [id, outputIndex] = row;
  const height = heightOf(id);
  return { height, transactionIndex: indexOf(id), outputIndex, blockHash: readHashAt(db, height)!, readAt };
}

/** Where a walk goes on; undefined: at its start. */
function boundAfter(db: Database, position: Position, order: "asc" | "desc"): Bound | undefined {
  const { height, readAt } = position;
  if (isCurrent(position, readHashAt(db, height), readHashAt(db, readAt.height))) return boundOf(position);
  return runAtOnce(resumeAfter(db.shared, position, order));
}

export function readHashAt(db: Database, height: number): string | null {
  const row = db.get<{ hash: Uint8Array }>("SELECT hash FROM blocks WHERE height = ?", height);
  return row ? fromBlob(row.hash) : null;
}

/**
 * Whether a token `t` has a text in its name, symbol or id. SQLite's functions end a text at a U+0000, which no stored
 * text holds.
 */
const matchesSearch = (folded: string, text: string) =>
  `(instr(t.name_folded, ${folded}) > 0 OR instr(lower(t.symbol), lower(${text})) > 0
    OR instr(t.asset_id, lower(${text})) > 0)`;

export function readAssetChanges(db: Database, query: AssetChangeQuery): AssetChangePage | null {
  const { blockHash, assetName, search = "", tags, volumeOrder, offset, limit, ...rest } = query;
  exhaustive(rest);
  return db.snapshot(() => {
    const block = db.get<{
      height: number;
      parent_hash: Uint8Array;
      timestamp: number;
      change_count: number;
    }>("SELECT height, parent_hash, timestamp, change_count FROM blocks WHERE hash = ?", toBlob(blockHash));
    if (!block) return null;

    const conditions = ["c.height = ?"];
    const values: (string | number)[] = [block.height];
    if (assetName !== "") {
      conditions.push("instr(t.name_folded, ?) > 0");
      values.push(foldCase(assetName));
    }
    if (search !== "") {
      conditions.push(matchesSearch("?", "?"));
      values.push(foldCase(search), search, search);
    }
    if (tags.length > 0) {
      conditions.push(
        "EXISTS (SELECT 1 FROM json_each(t.tags) tag WHERE tag.value IN (SELECT value FROM json_each(?)))",
      );
      values.push(JSON.stringify(tags));
    }
    if (search.includes("\0")) conditions.push("false");
    const matching = `FROM asset_changes c JOIN tokens t ON t.id = c.token_id WHERE ${conditions.join(" AND ")}`;
    const total =
      conditions.length === 1
        ? block.change_count
        : db.get<{ total: number }>(`SELECT count(*) AS total ${matching}`, ...values)!.total;
    const direction = volumeOrder === "asc" ? "ASC" : "DESC";
    const order = volumeOrder
      ? `length(c.amount_usd) ${direction}, c.amount_usd ${direction}, c.ordinal`
      : "c.ordinal";
    const rows = db.all<ChangeRow>(
      `SELECT CAST(c.amount AS TEXT) AS amount, CAST(c.amount_usd AS TEXT) AS amount_usd,
              t.asset_id, t.name, t.icon, t.symbol, t.decimals, t.standard, t.tags
       ${matching} ORDER BY ${order} LIMIT ? OFFSET ?`,
      ...values,
      limit,
      offset,
    );
    const { height, timestamp } = block;
    return {
      tip: readTip(db),
      block: { height, hash: blockHash, parentHash: fromBlob(block.parent_hash), timestamp },
      rows: rows.map(toChangeRow),
      total,
    };
  });
}

type ChangeRow = {
  amount: string;
  amount_usd: string;
  asset_id: string;
  name: string;
  icon: string;
  symbol: string;
  decimals: number;
  standard: string;
  tags: string;
};

function toChangeRow(row: ChangeRow): AssetChangeRow {
  const { asset_id: id, name, icon, symbol, decimals, standard } = row;
  return {
    amount: row.amount,
    amountUsd: row.amount_usd,
    asset: { id, name, icon, symbol, decimals, standard },
    tags: JSON.parse(row.tags) as string[],
  };
}

/** What the changes of the block at a height are worth, and how many have no price. */
function volumeAt(db: Database, height: number): { volumeUsd: string; unpricedCount: number } {
  let volume = 0n;
  let unpricedCount = 0;
  const values = db.all<{ usd: string; amount: string }>(
    "SELECT CAST(amount_usd AS TEXT) AS usd, CAST(amount AS TEXT) AS amount FROM asset_changes WHERE height = ?",
    height,
  );
  for (const value of values) {
    volume += BigInt(value.usd);
    if (value.usd === "0" && value.amount !== "0") unpricedCount += 1;
  }
  return { volumeUsd: volume.toString(), unpricedCount };
}

export function readLatestBlocks(db: Database, limit: number): (BlockHeader & BlockFigures)[] {
  return db.snapshot(() =>
    db
      .all<{
        height: number;
        hash: Uint8Array;
        timestamp: number;
        transaction_count: number;
        change_count: number;
      }>(
        `SELECT height, hash, timestamp, transaction_count, change_count
         FROM blocks ORDER BY height DESC LIMIT ?`,
        limit,
      )
      .map(({ height, hash, timestamp, transaction_count, change_count }) => ({
        height,
        hash: fromBlob(hash),
        timestamp,
        transactionCount: transaction_count,
        assetCount: change_count,
        ...volumeAt(db, height),
      })),
  );
}

export function readBlockOverview(db: Database, blockHash: string): BlockOverview | null {
  return db.snapshot(() => {
    const block = db.get<{
      height: number;
      parent_hash: Uint8Array;
      timestamp: number;
      transaction_count: number;
      change_count: number;
    }>(
      "SELECT height, parent_hash, timestamp, transaction_count, change_count FROM blocks WHERE hash = ?",
      toBlob(blockHash),
    );
    if (!block) return null;
    const { height } = block;
    const tags = db.all<{ tag: string; count: number }>(
      `SELECT tag.value AS tag, count(*) AS count
       FROM asset_changes c JOIN tokens t ON t.id = c.token_id, json_each(t.tags) tag
       WHERE c.height = ? GROUP BY tag.value ORDER BY count(*) DESC, tag.value`,
      height,
    );
    return {
      height,
      hash: blockHash,
      parentHash: fromBlob(block.parent_hash),
      timestamp: block.timestamp,
      transactionCount: block.transaction_count,
      assetCount: block.change_count,
      ...volumeAt(db, height),
      tags: tags.map(({ tag, count }) => ({ tag, count })),
      nextHash: readHashAt(db, height + 1),
      parentIndexed: db.get("SELECT 1 FROM blocks WHERE hash = ?", block.parent_hash) !== undefined,
      tip: readTip(db)!,
    };
  });
}

export function readNamesInBlock(db: Database, blockHash: string): NamedAsset[] {
  return db
    .all<Omit<NamedAsset, "public"> & { public: number }>(
      `SELECT t.asset_id AS id, t.name, t.symbol, t.decimals, t.public
       FROM blocks b JOIN asset_changes c ON c.height = b.height JOIN tokens t ON t.id = c.token_id
       WHERE b.hash = ? ORDER BY c.ordinal`,
      toBlob(blockHash),
    )
    .map((row) => ({ ...row, public: row.public === 1 }));
}

type HeldRow = {
  token_id: number;
  asset_id: string;
  output_count: number;
  amount: string;
  capacity: string;
  decimals: number;
  usd: string | null;
  time: number | null;
  matches: number;
};

/** Every holding is read, however few are listed: the sums and the order need them all. */
export function readAddressOverview(db: Database, addressKey: string, query: HoldingQuery): AddressOverview {
  const { search = "", offset = 0, limit, largest = 0, ...rest } = query;
  exhaustive(rest);
  return db.snapshot(() => {
    const rows = db.all<HeldRow>(
      `SELECT h.token_id, t.asset_id, h.output_count, CAST(h.amount AS TEXT) AS amount,
              CAST(h.capacity AS TEXT) AS capacity, t.decimals, p.usd, p.time,
              (?2 = '' OR ${matchesSearch("?2", "?3")}) AS matches
       FROM holdings h JOIN tokens t ON t.id = h.token_id
       LEFT JOIN prices p ON p.asset_id = t.asset_id AND p.time =
         (SELECT time FROM prices WHERE asset_id = t.asset_id
            AND time <= (SELECT timestamp FROM blocks ORDER BY height DESC LIMIT 1)
          ORDER BY time DESC LIMIT 1)
       WHERE h.address_id = (SELECT id FROM addresses WHERE key = ?1)`,
      toBlob(addressKey),
      foldCase(search),
      search,
    );
    const held = rows.map((row) => ({ ...row, value: valueOfRow(row), locked: BigInt(row.capacity) }));
    let outputCount = 0;
    let capacity = 0n;
    let value = 0n;
    let unpriced = 0;
    for (const holding of held) {
      outputCount += holding.output_count;
      capacity += holding.locked;
      value += holding.value ?? 0n;
      if (holding.value === null) unpriced += 1;
    }
    const tokenInfo = tokenReader(db);
    const matching = search.includes("\0") ? [] : held.filter(({ matches }) => matches === 1).sort(byValue);
    return {
      outputCount,
      capacity: capacity.toString(),
      tokenCount: held.length,
      holdings: matching.slice(offset, offset + limit).map((row) => ({
        token: tokenInfo(row.token_id),
        amount: row.amount,
        capacity: row.capacity,
        outputCount: row.output_count,
        price: row.usd === null || row.time === null ? null : { usd: row.usd, time: row.time },
        valueUsd: row.value?.toString() ?? null,
      })),
      matchCount: matching.length,
      largest:
        largest === 0
          ? []
          : held
              .toSorted((one, other) => descending(one.locked, other.locked) || byId(one, other))
              .slice(0, largest)
              .map((row) => ({ token: tokenInfo(row.token_id), capacity: row.capacity })),
      valueUsd: value.toString(),
      unpricedCount: unpriced,
      tip: readTip(db),
    };
  });
}

function valueOfRow({ amount, decimals, usd }: HeldRow): bigint | null {
  return usd === null ? null : valueInUsd(BigInt(amount), decimals, BigInt(usd));
}

type Held = HeldRow & { value: bigint | null };

const byId = (one: HeldRow, other: HeldRow) => (one.asset_id < other.asset_id ? -1 : 1);

function byValue(one: Held, other: Held): number {
  return (
    descending(one.value ?? -1n, other.value ?? -1n) ||
    other.output_count - one.output_count ||
    byId(one, other)
  );
}

function descending(one: bigint, other: bigint): number {
  if (one === other) return 0;
  return one > other ? -1 : 1;
}

export function readOutputCount(db: Database, addressKey: string): number {
  return db.get<{ outputs: number }>(
    `SELECT coalesce(sum(output_count), 0) AS outputs
     FROM holdings WHERE address_id = (SELECT id FROM addresses WHERE key = ?)`,
    toBlob(addressKey),
  )!.outputs;
}

export function readOutputAges(db: Database, addressKey: string, ranges: number): OutputAge[] | null {
  return db.snapshot(() => {
    const address = db.get<{ id: number }>("SELECT id FROM addresses WHERE key = ?", toBlob(addressKey));
    if (!address) return [];
    const { outputs, oldest } = db.get<{ outputs: number | null; oldest: number | null }>(
      `SELECT (SELECT sum(output_count) FROM holdings WHERE address_id = ?1) AS outputs,
              (SELECT transaction_id FROM outputs INDEXED BY live_outputs
               WHERE address_id = ?1 AND spent_transaction_id IS NULL ORDER BY transaction_id LIMIT 1) AS oldest`,
      address.id,
    )!;
    if (oldest === null) return [];
    if ((outputs ?? 0) > MAX_AGED_OUTPUTS) return null;
    const lowest = heightOf(oldest);
    const split = heightRanges(lowest, readTip(db)!.height, ranges);
    const counts = db.all<{ place: number; count: number }>(
      `SELECT ((transaction_id >> 20) - CAST(? AS INTEGER)) / CAST(? AS INTEGER) AS place, count(*) AS count
       FROM outputs INDEXED BY live_outputs WHERE address_id = ? AND spent_transaction_id IS NULL GROUP BY place`,
      lowest,
      split.length,
      address.id,
    );
    const byPlace = new Map(counts.map(({ place, count }) => [place, count]));
    return split.ranges.map((range, place) => ({ ...range, count: byPlace.get(place) ?? 0 }));
  });
}

/** Looks at the newest outputs and blocks only, so that its work does not grow with the chain. */
export function readExamples(db: Database, limit: number) {
  return db.snapshot(() => ({
    addresses: db
      .all<{ text: string; outputs: number }>(
        `SELECT a.text, (SELECT sum(h.output_count) FROM holdings h WHERE h.address_id = a.id) AS outputs
         FROM addresses a
         WHERE a.id IN (SELECT address_id FROM (SELECT address_id FROM outputs ORDER BY transaction_id DESC LIMIT 5000))
         GROUP BY a.id HAVING outputs > 0 ORDER BY outputs DESC, a.text LIMIT ?`,
        limit,
      )
      .map(({ text, outputs }) => ({ text, outputs })),
    blocks: db
      .all<{ height: number; hash: Uint8Array; changes: number }>(
        `SELECT height, hash, change_count AS changes FROM (SELECT * FROM blocks ORDER BY height DESC LIMIT 5000)
         ORDER BY change_count DESC, height DESC LIMIT ?`,
        limit,
      )
      .map(({ height, hash, changes }) => ({ height, hash: fromBlob(hash), changes })),
  }));
}
