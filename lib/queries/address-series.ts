import type { BlockReference } from "#lib/contract/block-reference.ts";
import { horizon } from "#lib/store/common-queries.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { BlockHeader } from "#lib/store/rows.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, statementWith } from "#lib/store/statement.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { type HeldSum, heldBefore } from "./held.ts";
import { forMoves, movedBy, touchedBy } from "./history.ts";
import { blockAsOf, blockAt, heightAtSql, refuseIfChanged, unbrokenTo } from "./named-block.ts";
import { firstIndex, PIECE } from "./pieces.ts";
import { pricesAtTimes } from "./prices.ts";
import { isOfToken, tokensById } from "./tokens.ts";

const DAY = 86_400_000;
/** Spans in milliseconds. A series begins with its span, or with the address's first transaction if that is later. */
export const SPANS = { "24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY, all: Number.POSITIVE_INFINITY } as const;
export type Span = keyof typeof SPANS;

export const SERIES_POINTS = 120;
/** Maximum number of transactions of the address in the span, all of which are read. */
export const MAX_SERIES_TRANSACTIONS = 100_000;
/** Maximum number of prices of one series: an address with more priced assets gets fewer points. */
const MAX_PRICES = 30_000;

/** The sums of an address's holdings after a block. */
export interface SeriesPoint extends BlockHeader {
  /** The block's time, but never before the series begins or before an earlier point. */
  time: number;
  /** Exact digits in the smallest unit; null in a series of several assets. */
  amount: string | null;
  /** Units of 10^-8 US dollars at the prices as of the block's time; null if nothing held then has a price. */
  valueUsd: string | null;
  /** Number of assets held then that have no price, so the value lacks them. */
  unpriced: number;
}

export interface AddressSeries {
  /** Points in order of height; null if the span has too many transactions. */
  points: SeriesPoint[] | null;
  /** The point a day before the last. Null if the span is shorter, or if blocks since then are missing. */
  dayAgo: SeriesPoint | null;
  weekAgo: SeriesPoint | null;
}

interface SeriesQuery {
  /** The key of an address, or those of several, which count as one. */
  addressKey: string | readonly string[];
  /** The block that the series ends with; missing: the tip. */
  at?: BlockReference | undefined;
  span: Span;
  /** The id of an asset; missing: all assets that the address holds. */
  token?: string | undefined;
}

const BLOCKS_AT_TIMES = statementWith(["times", "lowest", "highest"])(
  (sql) => `SELECT b.height, ${sql.hex("b.hash")} AS hash, b.timestamp, wanted.value AS wanted
   FROM ${sql.texts("$times", "wanted")} JOIN blocks b ON b.height =
     ${heightAtSql("CAST(wanted.value AS bigint)")}
   WHERE b.height >= CAST($lowest AS bigint) AND b.height <= CAST($highest AS bigint)`,
);

/** Computes the points backwards from the holdings at the end. Throws NOT_FOUND as `blockAsOf` does. */
export const addressSeries: Query<SeriesQuery, AddressSeries> = {
  effort: "snapshot",
  *read(db, { addressKey, at, span, token, ...rest }) {
    exhaustive(rest);
    const end = yield* blockAsOf(db, at);
    const isListed = yield* isOfToken(db, token);
    const addressKeys = [addressKey].flat();
    const series = yield* blocksOf(db, addressKeys, end, span);
    const { blocks, ago } = series;
    const held = yield* heldBefore(db, addressKeys, firstId(end.height + 1));
    const closing = [...held.values()].filter(({ tokenId }) => isListed(tokenId));
    const moves = yield* movesBetween(db, addressKeys, blocks, isListed);
    const balances = moves && balancesOf(closing, moves);
    const points = balances && (yield* pointsOf(db, balances, series, token !== undefined));
    yield* refuseIfChanged(db, end, blocks[0]!.height);
    const pointBefore = (time: number) => points?.find(({ hash }) => hash === ago.get(time)) ?? null;
    return { points, dayAgo: pointBefore(DAY), weekAgo: pointBefore(7 * DAY) };
  },
};

interface SeriesBlocks {
  /** Time at which the series begins. */
  start: number;
  /** Blocks at equal steps of time, in order of height. */
  blocks: BlockHeader[];
  /** Hashes of the blocks a day and a week before the end, by these durations. They always keep their points. */
  ago: ReadonlyMap<number, string>;
}

function* blocksOf(
  db: Reader,
  addressKeys: readonly string[],
  end: BlockHeader,
  span: Span,
): Steps<SeriesBlocks> {
  const unbroken = yield* unbrokenTo(db, end.height);
  let lowest = Math.max(unbroken, Math.min(yield* horizon(db), end.height));
  const after = firstId(end.height + 1);
  let earliestId = after;
  for (const addressKey of addressKeys) {
    [earliestId = earliestId] = yield* touchedBy(db, { addressKey, from: 0, to: earliestId }, 1);
  }
  const earliest = earliestId === after ? 0 : heightOf(earliestId);
  const bottom = yield* blockAt(db, Math.max(lowest, earliest));
  const start = Math.max(bottom?.timestamp ?? 0, end.timestamp - SPANS[span]);
  // The first point is below the address's first transaction, so that the chart begins at zero.
  lowest = Math.max(lowest, earliest - 1);
  const steps = Array.from({ length: SERIES_POINTS }, (_, at) =>
    Math.floor(start + ((end.timestamp - start) * at) / (SERIES_POINTS - 1)),
  );
  const marks = [DAY, 7 * DAY].map((before) => end.timestamp - before).filter((time) => time >= start);
  const times = JSON.stringify([...new Set([...steps, ...marks])].map(String));
  const found = BLOCKS_AT_TIMES({ times, lowest, highest: end.height });
  const rows = yield* all<BlockHeader & { wanted: string }>(db, found);
  const ago = new Map<number, string>();
  const blocks = new Map<number, BlockHeader>();
  for (const { wanted, ...block } of rows) {
    blocks.set(block.height, block);
    if (marks.includes(Number(wanted))) ago.set(end.timestamp - Number(wanted), block.hash);
  }
  blocks.set(end.height, end);
  const before = start === bottom?.timestamp && (yield* blockAt(db, lowest));
  if (before) blocks.set(lowest, before);
  return { start, blocks: [...blocks.values()].sort((one, other) => one.height - other.height), ago };
}

/** Changes of each token's balance since the block before, by the index of the block; 0 for the first block. */
type Moves = Map<number, bigint[]>;

/** The moves between the blocks; null if there are too many transactions. */
function* movesBetween(
  db: Reader,
  addressKeys: readonly string[],
  blocks: BlockHeader[],
  isListed: (tokenId: number) => boolean,
): Steps<Moves | null> {
  const moves: Moves = new Map();
  const heights = blocks.map(({ height }) => height);
  const add = (id: number, tokenId: number, amount: bigint) => {
    if (!isListed(tokenId)) return;
    const sums = moves.get(tokenId) ?? heights.map(() => 0n);
    const height = heightOf(id);
    sums[firstIndex(heights, (each) => each >= height)]! += amount;
    moves.set(tokenId, sums);
  };
  let left = MAX_SERIES_TRANSACTIONS;
  const touches = { addressKeys, from: firstId(heights[0]! + 1), to: firstId(heights.at(-1)! + 1) };
  yield* forMoves(db, touches, movedBy, ({ created, spent }, { ids }) => {
    left -= ids.length;
    if (left < 0) return false;
    for (const [id, tokenId, amount] of created) add(id, tokenId, BigInt(amount));
    for (const [id, tokenId, amount] of spent) add(id, tokenId, -BigInt(amount));
    return true;
  });
  return left < 0 ? null : moves;
}

/** Balances of each token after a block, by the index of the block. */
type Balances = Map<number, (block: number) => bigint>;

function balancesOf(closing: readonly HeldSum[], moves: Moves): Balances {
  const balances: Balances = new Map(closing.map(({ tokenId, amount }) => [tokenId, () => amount]));
  for (const [id, moved] of moves) {
    let after = balances.get(id)?.(0) ?? 0n;
    const amounts = moved.map(() => 0n);
    for (let at = moved.length - 1; at >= 0; at--) {
      amounts[at] = after;
      after -= moved[at]!;
    }
    balances.set(id, (block) => amounts[block]!);
  }
  return balances;
}

function* pointsOf(
  db: Reader,
  balances: Balances,
  { start, blocks, ago }: SeriesBlocks,
  isOfOne: boolean,
): Steps<SeriesPoint[]> {
  const tokens = yield* tokensById(db, balances.keys());
  const held = [...balances].map(([id, balance]) => ({ token: tokens.get(id)!, balance }));
  // An asset without a price at the latest time has no earlier one.
  const latest = Math.max(...blocks.map(({ timestamp }) => timestamp));
  const latestPrices = held.map(({ token }) => ({ assetId: token.id, time: latest }));
  const latestOf = yield* pricesAtTimes(db, latestPrices);
  const priced = latestPrices.filter((each) => latestOf(each) !== null);
  const step = Math.max(1, Math.ceil((blocks.length * priced.length) / MAX_PRICES));
  const kept = new Set([blocks.at(-1)!.hash, ...ago.values()]);
  const shown = [...blocks.entries()].filter(([at, { hash }]) => at % step === 0 || kept.has(hash));
  const shownPrices = shown.flatMap(([, { timestamp: time }]) => priced.map((each) => ({ ...each, time })));
  const priceOf = yield* pricesAtTimes(db, shownPrices);
  let time = start;
  const points: SeriesPoint[] = [];
  for (const [at, block] of shown) {
    time = Math.max(time, block.timestamp);
    let value = 0n;
    let unpriced = 0;
    let assets = 0;
    for (const { token, balance } of held) {
      const amount = balance(at);
      if (amount === 0n) continue;
      assets += 1;
      const usd = priceOf({ assetId: token.id, time: block.timestamp });
      if (usd === null) unpriced += 1;
      else value += valueInUsd(amount, token.decimals, usd);
    }
    points.push({
      ...block,
      time,
      amount: isOfOne ? (held[0]?.balance(at) ?? 0n).toString() : null,
      valueUsd: assets > 0 && unpriced === assets ? null : value.toString(),
      unpriced,
    });
    if (held.length > PIECE) yield* done(db.pause());
  }
  return points;
}
