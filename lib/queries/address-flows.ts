import { blockHashAt, tip } from "#lib/store/common-queries.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { BlockHeader, IndexTip, TokenRow } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { valued } from "./address-holdings/read.ts";
import { changedBy, forMoves, type Moved, movedBy, touchedBy } from "./history.ts";
import { blockAt, refuseBelowHorizon, refuseIfReplaced, stateNow } from "./named-block.ts";
import { sorted } from "./pieces.ts";
import { tokensOf } from "./tokens.ts";

/** Outputs of one asset that an address received or spent. */
export interface Flow {
  outputCount: number;
  /** Exact decimal digits, smallest unit. */
  amount: string;
}

interface FlowQuery {
  /** The key of an address, or those of several, which count as one. */
  addressKey: string | readonly string[];
  /** The range of blocks begins above this height. */
  since: number;
  /** Height of the last block; missing: the tip. */
  upTo?: number | undefined;
  /** Number of assets to list. */
  limit: number;
}

/** Outputs that an address received and spent. One that it received and spent counts twice. */
export interface AddressFlows {
  tip: IndexTip | null;
  /** The last block of the range; null if it is not indexed. */
  last: BlockHeader | null;
  /** In the order of `byNet`. `price`: US dollars for one whole token as of `last`, scaled by 10^18. */
  flows: { token: TokenRow; came: Flow; left: Flow; price: string | null }[];
  /** Number of assets that moved. */
  total: number;
  /** Values of all that came and left, in units of 10^-8 US dollars, at the prices as of `last`. */
  cameUsd: string;
  leftUsd: string;
  /** Number of assets without a price. */
  unpricedCount: number;
}

/** Most attempts to read, each of which a reorganisation may spoil. */
const ATTEMPTS = 3;

/** Reads up to the tip, and again if that was replaced meanwhile. Throws NOT_FOUND as `refuseBelowHorizon` does. */
export const addressFlows: Query<FlowQuery, AddressFlows> = {
  effort: "snapshot",
  *read(db, { addressKey, since, upTo, limit, ...rest }) {
    exhaustive(rest);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const newest = yield* tip(db);
      const sums: Sums = new Map();
      const range = { from: firstId(since + 1), to: firstId((upTo ?? newest?.height ?? -1) + 1) };
      yield* forMoves(db, { addressKeys: [addressKey].flat(), ...range }, movedBy, ({ created, spent }) => {
        for (const moved of created) add(sums, moved, "came");
        for (const moved of spent) add(sums, moved, "left");
        return true;
      });
      if (newest !== null && (yield* blockHashAt(db, newest.height)) !== newest.hash) continue;
      yield* refuseBelowHorizon(db, since);
      const last = newest && (yield* blockAt(db, upTo ?? newest.height));
      const time = last?.timestamp ?? 0;
      const values = yield* valuesOf(db, sums, time);
      const largest = yield* sorted(db, values, byNet, limit);
      const tokens = yield* tokensOf(db, largest);
      const flows = largest.map(({ tokenId, came, left, usd }) => ({
        token: tokens.get(tokenId)!,
        came: flowOf(came),
        left: flowOf(left),
        price: usd?.toString() ?? null,
      }));
      // Pages need plain objects, and SQLite's rows are not.
      return {
        tip: newest,
        last: last ? { ...last } : null,
        flows,
        total: sums.size,
        cameUsd: sumOf(values.map(({ cameUsd }) => cameUsd)),
        leftUsd: sumOf(values.map(({ leftUsd }) => leftUsd)),
        unpricedCount: values.filter(({ usd }) => usd === null).length,
      };
    }
    throw new Error(`${ATTEMPTS} reorganisations came while flows were read`);
  },
};

type OutputSum = { outputCount: number; amount: bigint };
type Sums = Map<number, { tokenId: number; came: OutputSum; left: OutputSum }>;

const noOutputs = (): OutputSum => ({ outputCount: 0, amount: 0n });

function add(sums: Sums, [, tokenId, amount]: Moved, direction: "came" | "left"): void {
  const ofToken = sums.get(tokenId) ?? { tokenId, came: noOutputs(), left: noOutputs() };
  ofToken[direction].outputCount += 1;
  ofToken[direction].amount += BigInt(amount);
  sums.set(tokenId, ofToken);
}

/** What came and left of one asset. Prices are scaled by 10^18, and null if there is none; values are in units of 10^-8 US dollars. */
interface ValuedFlow {
  tokenId: number;
  came: OutputSum;
  left: OutputSum;
  usd: bigint | null;
  cameUsd: bigint;
  leftUsd: bigint;
}

function* valuesOf(db: Reader, sums: Sums, time: number): Steps<ValuedFlow[]> {
  const arrived = Array.from(
    sums,
    ([tokenId, { came }]) => [tokenId, { tokenId, capacity: 0n, ...came }] as const,
  );
  const rows = yield* valued(db, new Map(arrived), time);
  return rows.map(({ tokenId, decimals, usd, value }) => {
    const { came, left } = sums.get(tokenId)!;
    const leftUsd = usd === null ? 0n : valueInUsd(left.amount, decimals, usd);
    return { tokenId, came, left, usd, cameUsd: value ?? 0n, leftUsd };
  });
}

/** The largest net value first; then assets without a price, by number of outputs. */
function byNet(one: ValuedFlow, other: ValuedFlow): number {
  return (
    Number(netOf(other) - netOf(one)) || outputsOf(other) - outputsOf(one) || one.tokenId - other.tokenId
  );
}

function netOf({ usd, cameUsd, leftUsd }: ValuedFlow): bigint {
  if (usd === null) return -1n;
  return cameUsd < leftUsd ? leftUsd - cameUsd : cameUsd - leftUsd;
}

const sumOf = (values: readonly bigint[]) => values.reduce((sum, one) => sum + one, 0n).toString();
const flowOf = (sum: OutputSum): Flow => ({ ...sum, amount: sum.amount.toString() });
const outputsOf = ({ came, left }: ValuedFlow) => came.outputCount + left.outputCount;

/** Most transactions of each address whose outputs `addressNews` counts. */
const MAX_COUNTED = 1_000;

/**
 * Counts outputs that joined and left the unspent outputs of an address, or of several, since a height. `more`: later transactions are not counted.
 * Throws NOT_FOUND as `refuseBelowHorizon` does.
 */
export const addressNews: Query<
  { addressKey: string | readonly string[]; since: number },
  { came: number; left: number; more: boolean }
> = {
  effort: "snapshot",
  *read(db, { addressKey, since }) {
    const news = { came: 0, left: 0, more: false };
    const from = firstId(since + 1);
    const state = yield* stateNow(db);
    if (!state) return news;
    const end = firstId(state.height + 1);
    for (const key of [addressKey].flat()) {
      const ids = yield* touchedBy(db, { addressKey: key, from, to: end }, MAX_COUNTED + 1);
      const isMore = ids.length > MAX_COUNTED;
      const to = isMore ? ids.pop()! : end;
      news.more ||= isMore;
      yield* forMoves(db, { addressKeys: [key], from, to }, changedBy, ({ created, spent }) => {
        news.came += created.filter(({ spentBy }) => spentBy === null || spentBy >= end).length;
        news.left += spent.filter(({ transactionId }) => transactionId < from).length;
        return true;
      });
    }
    yield* refuseIfReplaced(db, state, since);
    return news;
  },
};
