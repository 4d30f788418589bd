import type { BlockReference } from "#lib/contract/block-reference.ts";
import { tip } from "#lib/store/common-queries.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { BlockHeader, IndexTip, TokenRow } from "#lib/store/rows.ts";
import { foldCase } from "#lib/store/rules/asset-names.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, statementWith } from "#lib/store/statement.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { byValue, type Valued, valued } from "./address-holdings/read.ts";
import { heldBefore } from "./held.ts";
import { blockAsOf, refuseIfChanged } from "./named-block.ts";
import { inPieces, sorted } from "./pieces.ts";
import type { PriceAt } from "./prices.ts";
import { hasNul, lowerAscii, matchesSearch, tokensOf } from "./tokens.ts";

/** An asset that an address holds. */
export interface Holding {
  token: TokenRow;
  /** Exact decimal digits, smallest unit. */
  amount: string;
  /** Capacity of the outputs that hold it. */
  capacity: string;
  outputCount: number;
  /** The latest price as of the block's time; null if the asset has none. */
  price: PriceAt | null;
  /** The amount at that price, in units of 10^-8 US dollars; null without a price. */
  valueUsd: string | null;
  /** Number of NFTs that are summed up; 1 for a single asset. */
  members: number;
  /** The collection of the NFTs; `""` for other assets, and for the sum of NFTs without a name. */
  collection: string;
}

/** Selects holdings to list. The sums of an overview are over all of them. */
export interface HoldingQuery {
  /** The key of an address, or those of several, which count as one. */
  addressKey: string | readonly string[];
  /** The block whose state is read; missing: the tip. */
  at?: BlockReference | undefined;
  /**
   * Part of an asset's name (in any case), symbol (ASCII letters in any case) or id; or the id of a collection, which finds its
   * NFTs. "" finds all.
   */
  search?: string;
  /** Lists the NFTs of a collection as one holding, and all other NFTs without a name as another, unless there is a search. */
  collections?: boolean;
  /** Lists only NFTs without a name. */
  unnamed?: boolean;
  offset?: number;
  limit: number;
}

/** An address's page apart from its outputs. */
export interface AddressOverview {
  outputCount: number;
  capacity: string;
  /** Distinct assets held, the native one included. */
  tokenCount: number;
  /** Holdings by asset: the most valuable first, then those without a price by their number of outputs. */
  holdings: Holding[];
  matchCount: number;
  /** Units of 10^-8 US dollars: the sum over all holdings, at each asset's latest price as of the block's time. */
  valueUsd: string;
  /** Assets held that have no price by then. */
  unpricedCount: number;
  tip: IndexTip | null;
  /** The block whose state this is; null while nothing is indexed. */
  asOf: BlockHeader | null;
}

const MATCHING = statementWith(["ids", "folded", "lowered", "text"])(
  (sql) => `SELECT t.id FROM tokens t
   WHERE ${sql.isIn("t.id", "$ids", "integer")} AND (${matchesSearch(sql, "$folded", "$lowered")} OR t.parent_id = $text)`,
);

/** Reads every holding, because the sums and the order need them all. Throws NOT_FOUND as `blockAsOf` does. */
export const addressOverview: Query<HoldingQuery, AddressOverview> = {
  effort: "snapshot",
  *read(
    db,
    { addressKey, at, search = "", collections = false, unnamed = false, offset = 0, limit, ...rest },
  ) {
    exhaustive(rest);
    const newest = yield* tip(db);
    const block = newest === null && at === undefined ? null : yield* blockAsOf(db, at);
    const sums = block && (yield* heldBefore(db, [addressKey].flat(), firstId(block.height + 1)));
    const held = sums ? yield* valued(db, sums, block.timestamp) : [];
    const wanted = unnamed ? held.filter((one) => one.unnamed) : held;
    const matching =
      collections && search === "" && !unnamed
        ? yield* collected(db, held)
        : (yield* matchingOf(db, wanted, search)).map(single);
    const listed = matching.slice(offset, offset + limit);
    const tokens = yield* tokensOf(db, listed);
    if (block) yield* refuseIfChanged(db, block);
    const { outputCount, capacity } = sumOf(held);
    return {
      outputCount,
      capacity: capacity.toString(),
      tokenCount: held.length,
      holdings: listed.map(({ tokenId, amount, capacity, usd, priceTime, value, ...same }) => ({
        token: tokens.get(tokenId)!,
        amount: amount.toString(),
        capacity: capacity.toString(),
        outputCount: same.outputCount,
        price: usd === null || priceTime === null ? null : { usd: usd.toString(), time: priceTime },
        valueUsd: value?.toString() ?? null,
        members: same.members,
        collection: same.collection,
      })),
      matchCount: matching.length,
      valueUsd: held.reduce((sum, { value }) => sum + (value ?? 0n), 0n).toString(),
      unpricedCount: held.filter(({ value }) => value === null).length,
      tip: newest,
      asOf: block && { height: block.height, hash: block.hash, timestamp: block.timestamp },
    };
  },
};

type Listed = Valued & { members: number };

const single = (one: Valued): Listed => ({ ...one, members: 1 });

function sumOf(held: readonly Valued[]): Pick<Valued, "amount" | "capacity" | "outputCount"> {
  const sum = { amount: 0n, capacity: 0n, outputCount: 0 };
  for (const { amount, capacity, outputCount } of held) {
    sum.amount += amount;
    sum.capacity += capacity;
    sum.outputCount += outputCount;
  }
  return sum;
}

/** Joins the NFTs of each collection into one unpriced holding, and other NFTs without a name into another. Sorts by value. */
function* collected(db: Reader, held: readonly Valued[]): Steps<Listed[]> {
  const collections = Map.groupBy(held, ({ collection }) => collection);
  const isAlone = ({ collection }: Valued) => collection === "" || collections.get(collection)?.length === 1;
  const rowOf = (one: Valued) => (!isAlone(one) ? one.collection : one.unnamed ? "" : one);
  const rows = [...Map.groupBy(held, rowOf)].map(([row, members]): Listed => {
    const [first] = members as [Valued];
    if (members.length === 1) return single(first);
    const values = members.flatMap(({ value }) => value ?? []);
    return {
      ...first,
      ...sumOf(members),
      usd: null,
      value: values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0n),
      members: members.length,
      collection: row === "" ? "" : first.collection,
    };
  });
  return yield* sorted(db, rows, byValue);
}

function* matchingOf(db: Reader, held: Valued[], text: string): Steps<Valued[]> {
  if (text === "") return held;
  if (hasNul(text)) return [];
  const texts = { folded: foldCase(text), lowered: lowerAscii(text), text };
  const ids = held.map(({ tokenId }) => tokenId);
  const rows = yield* inPieces(db, ids, (piece) =>
    all<{ id: number }>(db, MATCHING({ ids: JSON.stringify(piece), ...texts })),
  );
  const matching = new Set(rows.map(({ id }) => id));
  return held.filter(({ tokenId }) => matching.has(tokenId));
}
