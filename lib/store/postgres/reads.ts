import { PRICE_DECIMALS, USD_DECIMALS } from "#lib/contract/amounts.ts";
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
  tip,
  toTip,
} from "#lib/store/common-queries.ts";
import { foldCase } from "#lib/store/rules/names.ts";
import { runInTurn } from "#lib/store/rules/steps.ts";
import { statement } from "#lib/store/statement.ts";
import {
  type AddressOverview,
  type AssetChangePage,
  type AssetChangeQuery,
  type AssetChangeRow,
  type BlockFigures,
  type BlockHeader,
  type BlockOverview,
  type CapacityByKind,
  type HoldingQuery,
  heightRanges,
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
import type { Database, Session } from "./connection.ts";
import { byteaArray, hasNul, numberArray, toBytea } from "./encoding.ts";

export const TOKEN_COLUMNS = `
  t.id AS token_id, t.asset_id, t.layer, t.parent_id, t.supply::text AS supply, t.description, t.public,
  (SELECT '0x' || encode(b.hash, 'hex') FROM blocks b WHERE b.height = t.first_height) AS first_block,
  (SELECT b.timestamp FROM blocks b WHERE b.height = t.first_mint_height) AS first_mint,
  t.keywords, t.name, t.icon, t.symbol, t.decimals, t.standard`;

export type TokenColumns = {
  token_id: number;
  asset_id: string;
  layer: number;
  parent_id: string;
  supply: string;
  description: string;
  public: boolean;
  first_block: string | null;
  first_mint: number | null;
  keywords: string;
  name: string;
  icon: string;
  symbol: string;
  decimals: number;
  standard: string;
};

export function toTokenRow(row: TokenColumns): TokenRow {
  return {
    layer: row.layer,
    parentId: row.parent_id,
    totalSupply: row.supply,
    description: row.description,
    public: row.public,
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

const readTip = (session: Session) => runInTurn(tip(session));

/** A row beside which the tip was read; nulls if nothing is stored. */
type MaybeTip = TipColumns | { height: null; hash: null; gaps: null };

const tipIn = (row: MaybeTip) => (row.height === null ? null : toTip(row));

const BEGINNING: Bound = { id: -1, index: -1 };
const END: Bound = { id: Number.MAX_SAFE_INTEGER, index: 0 };

/**
 * The page's statement: one range scan of a live index, in either direction, with all that belongs to the page.
 * The outputs come as one text, a line each, and their hashes as one string of bytes, which costs the server and us a
 * fraction of rows; each token comes once. All aggregates see the rows in the order of the page. None of them may be
 * DISTINCT or have an order of its own: the server would sort the rows for all of them (enable_presorted_aggregate).
 * Values: address, position, rows wanted + 1, heights of the position's two blocks, [token].
 */
function pageStatement(byToken: boolean, order: "asc" | "desc") {
  const direction = order === "asc" ? "ASC" : "DESC";
  return statement(
    `utxos-${byToken ? "token-" : ""}${order}`,
    `SELECT tip.height, tip.hash, tip.gaps, page.outputs, page.hashes,
       (SELECT hash FROM blocks WHERE height = $5) AS hash_at_position,
       (SELECT hash FROM blocks WHERE height = $6) AS hash_at_tip,
       (SELECT hash FROM blocks WHERE height = page.last_id >> 20) AS last_hash,
       (SELECT json_agg(token) FROM (
          SELECT ${TOKEN_COLUMNS} FROM tokens t WHERE t.id = ANY (page.token_ids)
        ) token) AS tokens
     FROM (
       SELECT
         string_agg(transaction_id || ' ' || output_index || ' ' || token_id || ' ' || capacity || ' '
           || coalesce(amount::text, ''), E'\\n') AS outputs,
         string_agg(transaction_hash, '') AS hashes,
         array_agg(token_id) AS token_ids,
         coalesce((array_agg(transaction_id))[$4::bigint - 1], ${order === "asc" ? "max" : "min"}(transaction_id)) AS last_id
       FROM (
         SELECT transaction_id, output_index, token_id, transaction_hash, amount, capacity
         FROM live_outputs
         WHERE address_key = $1 AND (transaction_id, output_index) ${order === "asc" ? ">" : "<"} ($2::bigint, $3::bigint)
           ${byToken ? "AND token_id = (SELECT id FROM tokens WHERE asset_id = $7)" : ""}
         ORDER BY transaction_id ${direction}, output_index ${direction} LIMIT $4::bigint
       ) live
     ) page
     LEFT JOIN LATERAL (${TIP_SQL}) tip ON true`,
  );
}

export const PAGES = {
  all: { asc: pageStatement(false, "asc"), desc: pageStatement(false, "desc") },
  ofToken: { asc: pageStatement(true, "asc"), desc: pageStatement(true, "desc") },
};

type PageRow = MaybeTip & {
  hash_at_position: string | null;
  hash_at_tip: string | null;
  /** Of each output, a line: id of its transaction, index, id of its token, capacity, amount of a token. */
  outputs: string | null;
  /** Of the outputs' transactions, in the same order. */
  hashes: string | null;
  last_hash: string | null;
  tokens: TokenColumns[] | null;
};

/**
 * One statement, unless the position is not current: then what it means now must be found first, and the page is read
 * again beside that.
 */
export async function readUtxos(db: Database, query: UtxoQuery): Promise<UtxoPage> {
  const { addressKey: _, token, order, after, limit, ...rest } = query;
  exhaustive(rest);
  if (token !== undefined && hasNul(token)) return { ...NO_ROWS, tip: await db.lookUp(readTip) };
  const row = await db.lookUp((session) => readPage(session, query, after && boundOf(after)));
  if (!after || isCurrent(after, row.hash_at_position, row.hash_at_tip)) return toPage(row, limit);
  return db.snapshot(async (session) => {
    const resumed = await runInTurn(resumeAfter(session, after, order));
    return toPage(await readPage(session, query, resumed), limit);
  });
}

const NO_ROWS = { rows: [], hasNext: false, last: null };

async function readPage(session: Session, query: UtxoQuery, after: Bound | undefined): Promise<PageRow> {
  const { order, token } = query;
  const start = after ?? (order === "asc" ? BEGINNING : END);
  const values = [
    toBytea(query.addressKey),
    start.id,
    start.index,
    query.limit + 1,
    query.after?.height ?? -1,
    query.after?.readAt.height ?? -1,
  ];
  const row =
    token === undefined
      ? await session.get<PageRow>(PAGES.all[order], ...values)
      : await session.get<PageRow>(PAGES.ofToken[order], ...values, token);
  return row!;
}

/** Of a transaction hash: 32 bytes. */
const HASH_DIGITS = 64;

function toPage(row: PageRow, limit: number): UtxoPage {
  const tip = tipIn(row);
  const { outputs, hashes } = row;
  if (tip === null || outputs === null || hashes === null) return { ...NO_ROWS, tip };
  const tokens = new Map(row.tokens!.map((token) => [String(token.token_id), toTokenRow(token)]));
  const lines = outputs.split("\n");
  const hasNext = lines.length > limit;
  if (hasNext) lines.pop();
  let lastId = 0;
  const rows = lines.map((line, place): UtxoRow => {
    const [id, outputIndex, token, capacity, amount] = line.split(" ") as [
      string,
      string,
      string,
      string,
      string,
    ];
    lastId = Number(id);
    return {
      token: tokens.get(token)!,
      height: heightOf(lastId),
      transactionHash: `0x${hashes.slice(2 + place * HASH_DIGITS, 2 + (place + 1) * HASH_DIGITS)}`,
      outputIndex: Number(outputIndex),
      amount: amount || capacity,
      capacity,
    };
  });
  const last: Position = {
    height: heightOf(lastId),
    transactionIndex: indexOf(lastId),
    outputIndex: rows.at(-1)!.outputIndex,
    blockHash: row.last_hash!,
    readAt: tip,
  };
  return { tip, rows, hasNext, last };
}

const IDS_OF = statement(
  "ids-of-transactions",
  "SELECT hash, id FROM transactions WHERE hash = ANY ($1::bytea[])",
);
const KINDS_OF = statement(
  "kinds-of-outputs",
  `SELECT o.transaction_id, o.output_index, o.kind, o.capacity::text AS capacity
   FROM unnest($1::bigint[], $2::bigint[]) AS wanted (transaction_id, output_index)
   JOIN outputs o ON o.transaction_id = wanted.transaction_id AND o.output_index = wanted.output_index`,
);
type KindColumns = {
  transaction_id: number;
  output_index: number;
  kind: string | null;
  capacity: string;
};

export async function readOutputKinds(
  session: Session,
  outPoints: readonly OutPoint[],
): Promise<(string | null)[]> {
  if (outPoints.length === 0) return [];
  const hashes = [...new Set(outPoints.map(({ transactionHash }) => transactionHash))];
  const found = await session.all<{ hash: string; id: number }>(IDS_OF, byteaArray(hashes));
  const ids = new Map(found.map(({ hash, id }) => [hash, id]));
  const idOf = ({ transactionHash }: OutPoint) => ids.get(transactionHash) ?? null;
  const rows = await session.all<KindColumns>(
    KINDS_OF,
    numberArray(outPoints.map(idOf)),
    numberArray(outPoints.map(({ outputIndex }) => outputIndex)),
  );
  const kinds = new Map(rows.map((row) => [`${row.transaction_id} ${row.output_index}`, row.kind]));
  return outPoints.map((outPoint) => kinds.get(`${idOf(outPoint)} ${outPoint.outputIndex}`) ?? null);
}

const BLOCK_FACTS = statement(
  "block-facts",
  `SELECT height, timestamp, header_facts AS "headerFacts" FROM blocks WHERE height = ANY ($1::bigint[])`,
);

export function readBlockFacts(session: Session, heights: readonly number[]): Promise<BlockFacts[]> {
  return session.all<BlockFacts>(BLOCK_FACTS, numberArray([...heights]));
}

const SUMS_BY_STANDARD = statement(
  "sums-by-standard",
  `SELECT t.standard AS kind, sum(h.output_count)::bigint AS "outputCount", sum(h.capacity)::text AS capacity
   FROM holdings h JOIN tokens t ON t.id = h.token_id WHERE h.address_key = $1 GROUP BY 1`,
);
const KINDS_OF_ADDRESS = statement(
  "kinds-of-address",
  'SELECT kind, output_count AS "outputCount", capacity::text AS capacity FROM kinds WHERE address_key = $1',
);
/** Values: address, first id, what the ids are multiples of, number of rows. */
const NATIVE_FROM = statement(
  "native-from",
  `SELECT transaction_id, output_index FROM live_outputs
   WHERE address_key = $1 AND transaction_id >= $2::bigint AND amount IS NULL AND transaction_id % $3::bigint = 0
   LIMIT $4::bigint`,
);

/** Within a snapshot. */
export async function readCapacityByKind(
  session: Session,
  addressKey: string,
  { kinds, rewardsOnly, blocks }: ChangingOutputs,
): Promise<CapacityByKind> {
  const tip = await readTip(session);
  const key = toBytea(addressKey);
  const byStandard = await session.all<KindSum>(SUMS_BY_STANDARD, key);
  const sums = sumsByKind(byStandard, await session.all<KindSum>(KINDS_OF_ADDRESS, key));
  if (!tip) return { tip, sums, changing: [], blocks: [] };
  const places = sums.some(({ kind }) => kinds.includes(kind))
    ? await session.all<Pick<KindColumns, "transaction_id" | "output_index">>(
        NATIVE_FROM,
        key,
        firstId(Math.max(0, tip.height + 1 - blocks)),
        rewardsOnly ? firstId(1) : 1,
        MAX_CHANGING_OUTPUTS + 1,
      )
    : [];
  const rows = await session.all<KindColumns>(
    KINDS_OF,
    numberArray(places.map((place) => place.transaction_id)),
    numberArray(places.map((place) => place.output_index)),
  );
  const changing = rows.flatMap(({ transaction_id: id, kind, capacity }) =>
    kind !== null && kinds.includes(kind) ? [{ kind, height: heightOf(id), capacity }] : [],
  );
  return {
    tip,
    sums,
    changing: places.length > MAX_CHANGING_OUTPUTS ? null : changing,
    blocks: await readBlockFacts(session, [tip.height, ...changing.map(({ height }) => height)]),
  };
}

/**
 * The token of each change, by its key: `OFFSET 0` keeps the filters out of it. Otherwise a server that ignores our
 * settings, as a worker of Citus does, may prefer to compare the names of all tokens first.
 */
const TOKEN_OF_CHANGE = "CROSS JOIN LATERAL (SELECT * FROM tokens WHERE id = c.token_id OFFSET 0) t";

/** Whether a token `t` has a text in its name, symbol or id. */
const matchesSearch = (folded: string, text: string) =>
  `(position(${folded}::text in t.name_folded) > 0
    OR position(lower(${text}::text COLLATE "C") in lower(t.symbol)) > 0
    OR position(lower(${text}::text COLLATE "C") in t.asset_id) > 0)`;

/**
 * Values: block, limit, offset, [name], [folded search, search], [tags]. One row for each change of the page, or one
 * without a change where the page is empty; none if the block is unknown.
 */
function changesStatement(
  filter: { name: boolean; search: boolean; tags: boolean },
  volumeOrder: "asc" | "desc" | undefined,
) {
  const conditions = ["c.block_hash = $1"];
  let values = 3;
  const next = () => `$${++values}`;
  if (filter.name) conditions.push(`position(${next()}::text in t.name_folded) > 0`);
  if (filter.search) conditions.push(matchesSearch(next(), next()));
  if (filter.tags) conditions.push(`t.tags && ${next()}::text[]`);
  const isFiltered = conditions.length > 1;
  // Read once, for the total and for the page. Without a filter the block knows its total, and a page reads only itself.
  const matching = isFiltered
    ? `WITH matching AS MATERIALIZED (
         SELECT c.ordinal, c.amount, c.amount_usd, c.token_id
         FROM asset_changes c ${TOKEN_OF_CHANGE} WHERE ${conditions.join(" AND ")}
       )`
    : "";
  const order = (of: string) =>
    volumeOrder ? `${of}amount_usd ${volumeOrder === "asc" ? "ASC" : "DESC"}, ${of}ordinal` : `${of}ordinal`;
  const { name: byName, search, tags } = filter;
  const name = ["changes", byName && "name", search && "search", tags && "tags", volumeOrder]
    .filter(Boolean)
    .join("-");
  return statement(
    name,
    `${matching}
     SELECT tip.height, tip.hash, tip.gaps, b.height AS block_height, b.parent_hash, b.timestamp,
            ${isFiltered ? "(SELECT count(*) FROM matching)" : "b.change_count"} AS total,
            page.amount::text AS amount, page.amount_usd::text AS amount_usd,
            page.asset_id, page.name, page.icon, page.symbol, page.decimals, page.standard, page.tags
     FROM blocks b
     CROSS JOIN LATERAL (${TIP_SQL}) tip
     LEFT JOIN LATERAL (
       SELECT c.ordinal, c.amount, c.amount_usd, t.asset_id, t.name, t.icon, t.symbol, t.decimals, t.standard,
              t.tags
       FROM (
         SELECT * FROM ${isFiltered ? "matching" : "asset_changes WHERE block_hash = $1"}
         ORDER BY ${order("")} LIMIT $2::bigint OFFSET $3::bigint
       ) c ${TOKEN_OF_CHANGE}
     ) page ON true
     WHERE b.hash = $1
     ORDER BY ${order("page.")}`,
  );
}

export const changesStatements = new Map(
  [false, true].flatMap((name) =>
    [false, true].flatMap((search) =>
      [false, true].flatMap((tags) =>
        ([undefined, "asc", "desc"] as const).map((order) => [
          `${name} ${search} ${tags} ${order}`,
          changesStatement({ name, search, tags }, order),
        ]),
      ),
    ),
  ),
);

type ChangeRow = TipColumns & {
  block_height: number;
  parent_hash: string;
  timestamp: number;
  total: number;
  /** Null, like all that follow, if the page is empty. */
  amount: string | null;
  amount_usd: string;
  asset_id: string;
  name: string;
  icon: string;
  symbol: string;
  decimals: number;
  standard: string;
  tags: string[];
};

export async function readAssetChanges(
  db: Database,
  query: AssetChangeQuery,
): Promise<AssetChangePage | null> {
  const {
    blockHash,
    assetName,
    search = "",
    tags: anyOf,
    volumeOrder,
    offset,
    limit: asked,
    ...rest
  } = query;
  exhaustive(rest);
  const name = foldCase(assetName);
  const tags = anyOf.filter((tag) => !hasNul(tag));
  const byName = name !== "";
  const byTags = anyOf.length > 0;
  // No stored text holds a U+0000: a name or search with one matches nothing, nor do tags if each of them has one.
  const isNowhere = hasNul(name) || hasNul(search);
  const [namePart, sought] = isNowhere ? ["", ""] : [name, search];
  // A filter or an order may read all changes of the block.
  const readsAll = byName || search !== "" || byTags || volumeOrder !== undefined;
  const readRows = (session: Session) =>
    session.all<ChangeRow>(
      changesStatements.get(`${byName} ${search !== ""} ${byTags} ${volumeOrder}`)!,
      toBytea(blockHash),
      isNowhere ? 0 : asked,
      offset,
      ...(byName ? [namePart] : []),
      ...(search !== "" ? [foldCase(sought), sought] : []),
      ...(byTags ? [tags] : []),
    );
  const rows = await (readsAll ? db.read(readRows) : db.lookUp(readRows));
  const first = rows[0];
  if (!first) return null;
  const found = rows.filter((row) => row.amount !== null);
  return {
    tip: toTip(first),
    block: {
      height: first.block_height,
      hash: blockHash,
      parentHash: first.parent_hash,
      timestamp: first.timestamp,
    },
    rows: found.map(toChangeRow),
    total: isNowhere ? 0 : first.total,
  };
}

function toChangeRow(row: ChangeRow): AssetChangeRow {
  const { asset_id: id, name, icon, symbol, decimals, standard, tags } = row;
  return {
    amount: row.amount!,
    amountUsd: row.amount_usd,
    asset: { id, name, icon, symbol, decimals, standard },
    tags,
  };
}

const LATEST_BLOCKS = statement(
  "latest-blocks",
  `SELECT height, hash, timestamp, transaction_count, change_count
   FROM blocks ORDER BY height DESC LIMIT CAST($1 AS bigint)`,
);
/** What the changes of the block $1 are worth, and how many have no price. */
const VOLUME_SQL = `SELECT count(*) FILTER (WHERE amount_usd = 0 AND amount <> 0) AS unpriced,
    coalesce(sum(amount_usd), 0)::text AS volume
  FROM asset_changes WHERE block_hash = $1`;
const VOLUME_OF_BLOCK = statement("volume-of-block", VOLUME_SQL);

/** Block by block: changes are distributed by block, so that each sum is asked of one node. */
export async function readLatestBlocks(
  session: Session,
  limit: number,
): Promise<(BlockHeader & BlockFigures)[]> {
  const blocks = await session.all<{
    height: number;
    hash: string;
    timestamp: number;
    transaction_count: number;
    change_count: number;
  }>(LATEST_BLOCKS, limit);
  const latest: (BlockHeader & BlockFigures)[] = [];
  for (const { height, hash, timestamp, transaction_count, change_count } of blocks) {
    const sums = (await session.get<{ unpriced: number; volume: string }>(VOLUME_OF_BLOCK, toBytea(hash)))!;
    latest.push({
      height,
      hash,
      timestamp,
      transactionCount: transaction_count,
      assetCount: change_count,
      unpricedCount: sums.unpriced,
      volumeUsd: sums.volume,
    });
  }
  return latest;
}

const BLOCK_OVERVIEW = statement(
  "block-overview",
  `SELECT b.height, b.parent_hash, b.timestamp, b.transaction_count, b.change_count,
          sums.unpriced, sums.volume, tags.counts,
          (SELECT hash FROM blocks WHERE height = b.height + 1) AS next_hash,
          EXISTS (SELECT 1 FROM blocks WHERE hash = b.parent_hash) AS parent_indexed,
          tip.height AS tip_height, tip.hash AS tip_hash, tip.gaps
   FROM blocks b
   CROSS JOIN LATERAL (${TIP_SQL}) tip
   CROSS JOIN LATERAL (${VOLUME_SQL}) sums
   CROSS JOIN LATERAL (
     SELECT coalesce(json_agg(json_build_object('tag', tag, 'count', n) ORDER BY n DESC, tag), '[]') AS counts
     FROM (
       SELECT tag, count(*) AS n
       FROM asset_changes c ${TOKEN_OF_CHANGE} CROSS JOIN LATERAL unnest(t.tags) AS tag
       WHERE c.block_hash = $1 GROUP BY tag
     ) counted
   ) tags
   WHERE b.hash = $1`,
);

export async function readBlockOverview(session: Session, blockHash: string): Promise<BlockOverview | null> {
  const row = await session.get<{
    height: number;
    parent_hash: string;
    timestamp: number;
    transaction_count: number;
    change_count: number;
    unpriced: number;
    volume: string;
    counts: { tag: string; count: number }[];
    next_hash: string | null;
    parent_indexed: boolean;
    tip_height: number;
    tip_hash: string;
    gaps: string | null;
  }>(BLOCK_OVERVIEW, toBytea(blockHash));
  if (!row) return null;
  return {
    height: row.height,
    hash: blockHash,
    parentHash: row.parent_hash,
    timestamp: row.timestamp,
    transactionCount: row.transaction_count,
    assetCount: row.change_count,
    unpricedCount: row.unpriced,
    volumeUsd: row.volume,
    tags: row.counts,
    nextHash: row.next_hash,
    parentIndexed: row.parent_indexed,
    tip: toTip({ height: row.tip_height, hash: row.tip_hash, gaps: row.gaps }),
  };
}

const NAMES_IN_BLOCK = statement(
  "names-in-block",
  `SELECT t.asset_id AS id, t.name, t.symbol, t.decimals, t.public
   FROM asset_changes c JOIN tokens t ON t.id = c.token_id WHERE c.block_hash = $1 ORDER BY c.ordinal`,
);

export function readNamesInBlock(session: Session, blockHash: string): Promise<NamedAsset[]> {
  return session.all<NamedAsset>(NAMES_IN_BLOCK, toBytea(blockHash));
}

/**
 * Values: address, folded search, search, offset, limit, number of the largest. A value is what `valueInUsd` gives:
 * the division is of whole numbers.
 */
const ADDRESS_OVERVIEW = statement(
  "address-overview",
  `WITH held AS MATERIALIZED (
     SELECT token_id, output_count, amount, capacity FROM holdings WHERE address_key = $1
   ), tip AS MATERIALIZED (
     ${TIP_SQL}
   ), valued AS MATERIALIZED (
     SELECT h.*, t.asset_id, p.usd, p.time,
            div(h.amount * p.usd, ('1e' || (t.decimals + ${PRICE_DECIMALS - USD_DECIMALS}))::numeric) AS value,
            ($2::text = '' OR ${matchesSearch("$2", "$3")}) AS matches
     FROM held h JOIN tokens t ON t.id = h.token_id
     LEFT JOIN LATERAL (
       SELECT usd, time FROM prices WHERE asset_id = t.asset_id AND time <= (SELECT timestamp FROM tip)
       ORDER BY time DESC LIMIT 1
     ) p ON true
   )
   SELECT tip.height, tip.hash, tip.gaps, sums.*, listed.holdings, most.largest
   FROM (SELECT coalesce(sum(output_count), 0)::bigint AS outputs, coalesce(sum(capacity), 0)::text AS capacity,
                count(*) AS tokens, count(*) FILTER (WHERE matches) AS matching,
                coalesce(sum(value), 0)::text AS value, count(*) FILTER (WHERE value IS NULL) AS unpriced
         FROM valued) sums
   LEFT JOIN tip ON true
   CROSS JOIN LATERAL (
     SELECT coalesce(json_agg(holding ORDER BY holding.place), '[]') AS holdings
     FROM (
       SELECT ${TOKEN_COLUMNS}, h.output_count, h.amount::text AS amount, h.capacity::text AS capacity,
              h.usd::text AS usd, h.time, h.value::text AS value, h.place
       FROM (SELECT *, row_number() OVER (ORDER BY value DESC NULLS LAST, output_count DESC, asset_id) AS place
             FROM valued WHERE matches ORDER BY place LIMIT $5::bigint OFFSET $4::bigint) h
       JOIN tokens t ON t.id = h.token_id
     ) holding
   ) listed
   CROSS JOIN LATERAL (
     SELECT coalesce(json_agg(holding ORDER BY holding.place), '[]') AS largest
     FROM (
       SELECT ${TOKEN_COLUMNS}, h.capacity::text AS capacity, h.place
       FROM (SELECT *, row_number() OVER (ORDER BY capacity DESC, asset_id) AS place
             FROM valued ORDER BY place LIMIT $6::bigint) h
       JOIN tokens t ON t.id = h.token_id
     ) holding
   ) most`,
);

export async function readAddressOverview(
  session: Session,
  addressKey: string,
  query: HoldingQuery,
): Promise<AddressOverview> {
  const { search = "", offset = 0, limit, largest = 0, ...rest } = query;
  exhaustive(rest);
  // No stored text holds a U+0000: a search for one finds nothing.
  const [sought, count] = hasNul(search) ? ["", 0] : [search, limit];
  const row = (await session.get<
    MaybeTip & {
      outputs: number;
      capacity: string;
      tokens: number;
      matching: number;
      value: string;
      unpriced: number;
      holdings: (TokenColumns & {
        output_count: number;
        amount: string;
        capacity: string;
        usd: string | null;
        time: number | null;
        value: string | null;
      })[];
      largest: (TokenColumns & { capacity: string })[];
    }
  >(ADDRESS_OVERVIEW, toBytea(addressKey), foldCase(sought), sought, offset, count, largest))!;
  return {
    outputCount: row.outputs,
    capacity: row.capacity,
    tokenCount: row.tokens,
    holdings: row.holdings.map((holding) => ({
      token: toTokenRow(holding),
      amount: holding.amount,
      capacity: holding.capacity,
      outputCount: holding.output_count,
      price: holding.usd === null || holding.time === null ? null : { usd: holding.usd, time: holding.time },
      valueUsd: holding.value,
    })),
    matchCount: hasNul(search) ? 0 : row.matching,
    largest: row.largest.map((holding) => ({ token: toTokenRow(holding), capacity: holding.capacity })),
    valueUsd: row.value,
    unpricedCount: row.unpriced,
    tip: tipIn(row),
  };
}

const OUTPUT_COUNT = statement(
  "output-count",
  "SELECT coalesce(sum(output_count), 0)::bigint AS outputs FROM holdings WHERE address_key = $1",
);

export async function readOutputCount(session: Session, addressKey: string): Promise<number> {
  return (await session.get<{ outputs: number }>(OUTPUT_COUNT, toBytea(addressKey)))!.outputs;
}

const LIVE_RANGE = statement(
  "live-range",
  `SELECT (SELECT coalesce(sum(output_count), 0)::bigint FROM holdings WHERE address_key = $1) AS outputs,
          (SELECT min(transaction_id) FROM live_outputs WHERE address_key = $1) AS oldest,
          (SELECT max(height) FROM blocks) AS tip`,
);
const OUTPUT_AGES = statement(
  "output-ages",
  `SELECT ((transaction_id >> 20) - $2::bigint) / $3::bigint AS place, count(*) AS count
   FROM live_outputs WHERE address_key = $1 GROUP BY place`,
);

export async function readOutputAges(
  session: Session,
  addressKey: string,
  ranges: number,
): Promise<OutputAge[] | null> {
  const key = toBytea(addressKey);
  const { outputs, oldest, tip } = (await session.get<{
    outputs: number;
    oldest: number | null;
    tip: number | null;
  }>(LIVE_RANGE, key))!;
  if (oldest === null || tip === null) return [];
  if (outputs > MAX_AGED_OUTPUTS) return null;
  const lowest = heightOf(oldest);
  const split = heightRanges(lowest, tip, ranges);
  const counts = await session.all<{ place: number; count: number }>(OUTPUT_AGES, key, lowest, split.length);
  const byPlace = new Map(counts.map(({ place, count }) => [place, count]));
  return split.ranges.map((range, place) => ({ ...range, count: byPlace.get(place) ?? 0 }));
}

const RECENT_ADDRESSES = statement(
  "recent-addresses",
  `SELECT DISTINCT '0x' || encode(address_key, 'hex') AS key
   FROM (SELECT address_key FROM outputs ORDER BY transaction_id DESC, output_index DESC LIMIT 5000) recent`,
);
const BUSIEST_ADDRESSES = statement(
  "busiest-addresses",
  `SELECT a.text, held.outputs
   FROM (SELECT address_key, sum(output_count)::bigint AS outputs FROM holdings
         WHERE address_key = ANY ($1::bytea[]) GROUP BY address_key) held
   JOIN addresses a ON a.key = held.address_key
   WHERE held.outputs > 0 ORDER BY held.outputs DESC, a.text LIMIT $2::bigint`,
);
const BUSIEST_BLOCKS = statement(
  "busiest-blocks",
  `SELECT height, hash, change_count AS changes
   FROM (SELECT height, hash, change_count FROM blocks ORDER BY height DESC LIMIT 5000) recent
   ORDER BY change_count DESC, height DESC LIMIT $1::bigint`,
);

/** Looks at the newest outputs and blocks only, so that its work does not grow with the chain. */
export async function readExamples(session: Session, limit: number) {
  const recent = await session.all<{ key: string }>(RECENT_ADDRESSES);
  return {
    addresses: await session.all<{ text: string; outputs: number }>(
      BUSIEST_ADDRESSES,
      recent.map((row) => toBytea(row.key)),
      limit,
    ),
    blocks: await session.all<Tip & { changes: number }>(BUSIEST_BLOCKS, limit),
  };
}
