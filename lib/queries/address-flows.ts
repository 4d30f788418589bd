import { tip } from "#lib/store/common-queries.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { BlockHeader, IndexTip, TokenRow } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { valued } from "./address-holdings/read.ts";
import { outputTest } from "./address-utxos/filters.ts";
import { changedBy, forMoves, movedBy, type OwnedOutput, touchedBy } from "./history.ts";
import { blockAt, refuseIfChanged, stateAt, stateNow } from "./named-block.ts";
import { addMove, inOrder, type NetFlow, noFlow, settle } from "./net-flow.ts";
import { sorted } from "./pieces.ts";
import { tokensOf } from "./tokens.ts";

/** The sum of one asset that transactions gave an address, or took from it, net by transaction. */
export interface Flow {
  transactionCount: number;
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

/** The flows of an address. As in the statement, they leave out change and payments between several addresses. */
export interface AddressFlows {
  tip: IndexTip | null;
  /** The last block of the range; null if it is not indexed. */
  last: BlockHeader | null;
  /**
   * Only assets that came or left, in the order of `byNet`. `price`: US dollars for one whole token as of `last`, scaled by
   * 10^18.
   */
  flows: { token: TokenRow; came: Flow; left: Flow; price: string | null }[];
  /** Number of assets that came or left. */
  total: number;
  /** Values of all that came and left, in units of 10^-8 US dollars, at the prices as of `last`. */
  cameUsd: string;
  leftUsd: string;
  /** Number of assets without a price. */
  unpricedCount: number;
}

/** Reads up to the tip by default. Throws as `refuseIfChanged` does. */
export const addressFlows: Query<FlowQuery, AddressFlows> = {
  effort: "snapshot",
  *read(db, { addressKey, since, upTo, limit, ...rest }) {
    exhaustive(rest);
    const newest = yield* tip(db);
    const read = newest && (yield* stateAt(db, { ...newest, height: upTo ?? newest.height }));
    const sums = new Map<number, NetFlow>();
    const range = { from: firstId(since + 1), to: firstId((upTo ?? newest?.height ?? -1) + 1) };
    yield* forMoves(db, { addressKeys: [addressKey].flat(), ...range }, movedBy, (moves) => {
      for (const [[by, tokenId, amount], sign] of inOrder(moves)) {
        const flow = sums.get(tokenId) ?? noFlow();
        sums.set(tokenId, flow);
        addMove(flow, by, sign * BigInt(amount));
      }
      return true;
    });
    for (const [tokenId, flow] of sums) {
      settle(flow);
      if (flow.ins + flow.outs === 0) sums.delete(tokenId);
    }
    if (read) yield* refuseIfChanged(db, read, since);
    const last = newest && (yield* blockAt(db, upTo ?? newest.height));
    const time = last?.timestamp ?? 0;
    const values = yield* valuesOf(db, sums, time);
    const largest = yield* sorted(db, values, byNet, limit);
    const tokens = yield* tokensOf(db, largest);
    const flows = largest.map(({ tokenId, flow, usd }) => ({
      token: tokens.get(tokenId)!,
      came: { transactionCount: flow.ins, amount: `${flow.in}` },
      left: { transactionCount: flow.outs, amount: `${flow.out}` },
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
  },
};

/** What came and left of one asset. Prices are scaled by 10^18, and null if there is none; values are in units of 10^-8 US dollars. */
interface ValuedFlow {
  tokenId: number;
  flow: NetFlow;
  usd: bigint | null;
  cameUsd: bigint;
  leftUsd: bigint;
}

function* valuesOf(db: Reader, sums: ReadonlyMap<number, NetFlow>, time: number): Steps<ValuedFlow[]> {
  const arrived = Array.from(
    sums,
    ([tokenId, { in: amount }]) => [tokenId, { tokenId, capacity: 0n, outputCount: 0, amount }] as const,
  );
  const rows = yield* valued(db, new Map(arrived), time);
  return rows.map(({ tokenId, decimals, usd, value }) => {
    const flow = sums.get(tokenId)!;
    const leftUsd = usd === null ? 0n : valueInUsd(flow.out, decimals, usd);
    return { tokenId, flow, usd, cameUsd: value ?? 0n, leftUsd };
  });
}

/** The largest net value first; then assets without a price, by number of transactions. */
const byNet = (one: ValuedFlow, other: ValuedFlow): number =>
  Number(netOf(other) - netOf(one)) || countOf(other) - countOf(one) || one.tokenId - other.tokenId;

function netOf({ usd, cameUsd, leftUsd }: ValuedFlow): bigint {
  if (usd === null) return -1n;
  return cameUsd < leftUsd ? leftUsd - cameUsd : cameUsd - leftUsd;
}

const sumOf = (values: readonly bigint[]) => values.reduce((sum, one) => sum + one, 0n).toString();
const countOf = ({ flow }: ValuedFlow) => flow.ins + flow.outs;

/** Maximum number of transactions of each address whose outputs `addressNews` counts. */
const MAX_COUNTED = 1_000;

/**
 * Counts outputs that joined and left the unspent outputs of an address, or of several, since a height; with `token`, only those
 * of this asset. `passed`: those that were created and spent since. `more`: later transactions are not counted. Throws NOT_FOUND
 * as `refuseBelowHorizon` does.
 */
export const addressNews: Query<
  { addressKey: string | readonly string[]; since: number; token?: string | undefined },
  { came: number; left: number; passed: number; more: boolean }
> = {
  effort: "snapshot",
  *read(db, { addressKey, since, token }) {
    const passes = yield* outputTest(db, { token });
    const news = { came: 0, left: 0, passed: 0, more: false };
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
        const isNew = ({ spentBy }: OwnedOutput) => spentBy === null || spentBy >= end;
        for (const output of created.filter(passes)) news[isNew(output) ? "came" : "passed"] += 1;
        news.left += spent.filter((output) => passes(output) && output.transactionId < from).length;
        return true;
      });
    }
    yield* refuseIfChanged(db, state, since);
    return news;
  },
};
