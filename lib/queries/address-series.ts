/** How much an address held over time. */

import type { BlockReference } from "#lib/contract/block-reference.ts";
import { horizon, tip } from "#lib/store/common-queries.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { BlockHeader, IndexTip } from "#lib/store/rows.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, first, statementWith } from "#lib/store/statement.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { heldBefore } from "./held.ts";
import { forMoves, movedBy, touchedBy } from "./history.ts";
import { blockAsOf, blockAt, refuseIfReplaced } from "./named-block.ts";
import { PIECE } from "./pieces.ts";
import { pricesAtTimes } from "./prices.ts";
import { isOfToken, tokensById } from "./tokens.ts";

const DAY = 86_400_000;
/** Milliseconds. A series begins with its span, or with the first transaction of the address if that is later. */
export const SPANS = { "24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY, all: Number.POSITIVE_INFINITY } as const;
export type Span = keyof typeof SPANS;

export const SERIES_POINTS = 120;
/** Transactions of the address in the span, at most: they are all read. */
export const MAX_SERIES_TRANSACTIONS = 100_000;
/** Prices that one series takes: an address with more priced assets gets fewer points. */
const MAX_PRICES = 30_000;

/** What the address held after a block: the sums of its holdings as of that block. */
export interface SeriesPoint extends BlockHeader {
  /** Where it stands in the series: the block's time, but never before the series begins or before an earlier point. */
  time: number;
  /** Exact digits in the smallest unit; of one asset only. */
  amount: string | null;
  /** Units of 10^-8 US dollars at the prices as of the block's time; null if nothing held then has a price. */
  valueUsd: string | null;
  /** Assets held then without a price at that time: the value lacks them. */
  unpriced: number;
}

export interface AddressSeries {
  tip: IndexTip | null;
  /** In order of height, the last as of the block asked for; null if the span has too many transactions. */
  points: SeriesPoint[] | null;
  /**
   * The points a day and a week before the last, if the span reaches so far back; null if the blocks since then are not all
   * indexed.
   */
  dayAgo: SeriesPoint | null;
  weekAgo: SeriesPoint | null;
}

interface SeriesQuery {
  addressKey: string;
  /** The block that the series ends with; missing: the tip. */
  at?: BlockReference | undefined;
  span: Span;
  /** The id of an asset; missing: all that the address holds. */
  token?: string | undefined;
}

/** The lowest height from which all blocks up to `$height` are indexed. */
const UNBROKEN_FROM = statementWith(["height"])(
  `SELECT coalesce((SELECT max(last_height) + 1 FROM gaps WHERE last_height < $height),
     (SELECT min(height) FROM blocks)) AS height`,
);
const BLOCKS_AT_TIMES = statementWith(["times", "lowest", "highest"])(
  (sql) => `SELECT b.height, ${sql.hex("b.hash")} AS hash, b.timestamp, asked.value AS asked
   FROM ${sql.texts("$times", "asked")} JOIN blocks b ON b.height =
     (SELECT height FROM blocks WHERE timestamp <= CAST(asked.value AS bigint)
      ORDER BY timestamp DESC, height DESC LIMIT 1)
   WHERE b.height >= CAST($lowest AS bigint) AND b.height <= CAST($highest AS bigint)`,
);

/**
 * One pass over what the address's transactions in the span moved, backwards from what it holds at the end. Throws NOT_FOUND as
 * `blockAsOf` does.
 */
export const addressSeries: Query<SeriesQuery, AddressSeries> = {
  effort: "snapshot",
  *read(db, { addressKey, at, span, token, ...rest }) {
    exhaustive(rest);
    const newest = yield* tip(db);
    const end = yield* blockAsOf(db, at);
    const isListed = yield* isOfToken(db, token);
    const { start, blocks, ago } = yield* blocksOf(db, addressKey, end, span);
    const held = yield* heldBefore(db, addressKey, firstId(end.height + 1));
    const closing = [...held.values()].flatMap((each): [number, bigint][] =>
      isListed(each.tokenId) ? [[each.tokenId, each.amount]] : [],
    );
    const moved = yield* movedUpTo(db, addressKey, blocks, isListed);
    const balances = moved && balancesOf(new Map(closing), moved);
    const kept = [...ago.values()];
    const points = balances && (yield* pointsOf(db, { start, blocks, kept, balances }, token !== undefined));
    yield* refuseIfReplaced(db, end, blocks[0]!.height);
    const pointAt = (time: number) => points?.find(({ hash }) => hash === ago.get(time)) ?? null;
    return { tip: newest, points, dayAgo: pointAt(DAY), weekAgo: pointAt(7 * DAY) };
  },
};

/** Blocks at equal steps of time, in order of height; and those a day and a week ago, of which no point is left out. */
function* blocksOf(db: Reader, addressKey: string, end: BlockHeader, span: Span) {
  const { height: unbroken } = (yield* first<{ height: number }>(db, UNBROKEN_FROM({ height: end.height })))!;
  let lowest = Math.max(unbroken, Math.min(yield* horizon(db), end.height));
  const [earliestId = 0] = yield* touchedBy(db, { addressKey, from: 0, to: firstId(end.height + 1) }, 1);
  const earliest = heightOf(earliestId);
  const bottom = yield* blockAt(db, Math.max(lowest, earliest));
  const start = Math.max(bottom?.timestamp ?? 0, end.timestamp - SPANS[span]);
  // The chart begins with nothing.
  lowest = Math.max(lowest, earliest - 1);
  const steps = Array.from({ length: SERIES_POINTS }, (_, at) =>
    Math.floor(start + ((end.timestamp - start) * at) / (SERIES_POINTS - 1)),
  );
  const marks = [DAY, 7 * DAY].map((before) => end.timestamp - before).filter((time) => time >= start);
  const times = JSON.stringify([...new Set([...steps, ...marks])].map(String));
  const found = BLOCKS_AT_TIMES({ times, lowest, highest: end.height });
  const rows = yield* all<BlockHeader & { asked: string }>(db, found);
  const ago = new Map<number, string>();
  const blocks = new Map<number, BlockHeader>();
  for (const { asked, ...block } of rows) {
    blocks.set(block.height, block);
    if (marks.includes(Number(asked))) ago.set(end.timestamp - Number(asked), block.hash);
  }
  blocks.set(end.height, end);
  const before = start === bottom?.timestamp && (yield* blockAt(db, lowest));
  if (before) blocks.set(lowest, before);
  return { start, blocks: [...blocks.values()].sort((one, other) => one.height - other.height), ago };
}

/** By token, how much more there was after each block than after the one before; of the first block 0. */
type Moves = Map<number, bigint[]>;

/** Null if there are too many transactions. */
function* movedUpTo(
  db: Reader,
  addressKey: string,
  blocks: BlockHeader[],
  isListed: (tokenId: number) => boolean,
): Steps<Moves | null> {
  const moves: Moves = new Map();
  const heights = blocks.map(({ height }) => height);
  const add = (id: number, tokenId: number, amount: bigint) => {
    if (!isListed(tokenId)) return;
    let sums = moves.get(tokenId);
    if (!sums) {
      sums = heights.map(() => 0n);
      moves.set(tokenId, sums);
    }
    sums[firstAtLeast(heights, heightOf(id))]! += amount;
  };
  let left = MAX_SERIES_TRANSACTIONS;
  const touches = { addressKey, from: firstId(heights[0]! + 1), to: firstId(heights.at(-1)! + 1) };
  yield* forMoves(db, touches, movedBy, ({ created, spent }, { ids }) => {
    left -= ids.length;
    if (left < 0) return false;
    for (const [id, tokenId, amount] of created) add(id, tokenId, BigInt(amount));
    for (const [id, tokenId, amount] of spent) add(id, tokenId, -BigInt(amount));
    return true;
  });
  return left < 0 ? null : moves;
}

/** The place of the first number that is not below `least`. */
function firstAtLeast(ascending: readonly number[], least: number): number {
  let [low, high] = [0, ascending.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What there was of a token after a block, by the block's place among those of the series. */
type Balance = (block: number) => bigint;

function balancesOf(closing: ReadonlyMap<number, bigint>, moves: Moves): Map<number, Balance> {
  const balances = new Map<number, Balance>();
  for (const [id, amount] of closing) balances.set(id, () => amount);
  for (const [id, moved] of moves) {
    let after = closing.get(id) ?? 0n;
    const amounts = moved.map(() => 0n);
    for (let at = moved.length - 1; at >= 0; at--) {
      amounts[at] = after;
      after -= moved[at]!;
    }
    balances.set(id, (block) => amounts[block]!);
  }
  return balances;
}

interface Held {
  /** When the series begins. */
  start: number;
  blocks: BlockHeader[];
  /** Hashes of blocks that keep their points. */
  kept: string[];
  balances: Map<number, Balance>;
}

function* pointsOf(
  db: Reader,
  { start, blocks, kept, balances }: Held,
  isOfOne: boolean,
): Steps<SeriesPoint[]> {
  const tokens = yield* tokensById(db, balances.keys());
  const held = [...balances].map(([id, balance]) => ({ token: tokens.get(id)!, balance }));
  // What has no price by then has none before.
  const latest = Math.max(...blocks.map(({ timestamp }) => timestamp));
  const asked = held.map(({ token }) => ({ assetId: token.id, time: latest }));
  const last = yield* pricesAtTimes(db, asked);
  const priced = held.filter(({ token }) => last({ assetId: token.id, time: latest }) !== null);
  const step = Math.ceil((blocks.length * priced.length) / MAX_PRICES);
  const shown = [...blocks.entries()].filter(
    ([at, { hash }]) => step <= 1 || at % step === 0 || at === blocks.length - 1 || kept.includes(hash),
  );
  const priceOf = yield* pricesAtTimes(
    db,
    shown.flatMap(([, { timestamp }]) => priced.map(({ token }) => ({ assetId: token.id, time: timestamp }))),
  );
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
