/** The lines of a statement: what blocks or transactions moved of each token, and the balances before and after. */

import type { z } from "zod";
import { transactionHashes } from "#lib/store/outputs.ts";
import type { Reader } from "#lib/store/query.ts";
import type { TokenRow } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import type { contract } from "./address-statement/contract.ts";
import { blocksAt } from "./blocks-at.ts";
import { forMoves, type Moved, movedBy } from "./history.ts";
import { addMove, inOrder, type NetFlow, noFlow, settle } from "./net-flow.ts";
import { sorted } from "./pieces.ts";
import { pricesAtTimes } from "./prices.ts";
import { tokensById, tokensOf } from "./tokens.ts";

type Chosen = Partial<Pick<z.output<typeof contract.query>, "order" | "per" | "value">>;

/** The amounts that a block or a transaction moved of one token. */
export interface Line {
  /** Id of the transaction; of a block, its first id. */
  id: number;
  rank: number;
  tokenId: number;
  opening: bigint;
  in: bigint;
  out: bigint;
  closing: bigint;
}

export interface LineRow extends Line {
  token: TokenRow;
  blockHash: string;
  /** Its hash, if each transaction has lines of its own. */
  transaction: string | undefined;
  /** Milliseconds since the Unix epoch. */
  time: number;
  /** US dollars scaled by 10^18; null without a price, undefined if prices were not requested. */
  usd?: bigint | null;
  /** The closing amount at that price, in units of 10^-8 US dollars. */
  value?: bigint | null;
}

/** Lines that have been read. */
export interface LinesAhead {
  lines: readonly Line[];
  /** The ids of transactions that have not been read: at least `from`, and below `to`. */
  unread: { from: number; to: number };
  /** Amounts where these begin, or where they end if the newest lines come first, by token. */
  balances: ReadonlyMap<number, bigint>;
}

interface Reading extends Pick<Chosen, "order" | "per"> {
  addressKeys: readonly string[];
  /** Reading stops after `least` transactions, once it has more than `limit` lines that are complete. */
  limit: number;
  least: number;
  /** Transactions to look up in the first read. */
  enough: number;
  isListed(tokenId: number): boolean;
}

/** Reads more whole blocks, or whole transactions, and appends their lines. */
export function* readOn(
  db: Reader,
  { addressKeys, order, per, limit, least, enough, isListed }: Reading,
  { lines: read, unread, balances: before }: LinesAhead,
): Steps<LinesAhead> {
  const isAsc = order === undefined;
  /** Lines are of these ids: transactions, or the first ids of blocks. */
  const lineId = (id: number) => (per ? id : firstId(heightOf(id)));
  const byId = new Map<number, Map<number, NetFlow>>();
  let count = read.length;
  const add = ([by, tokenId, amount, isUnspendable]: Moved, sign: bigint) => {
    if (!isListed(tokenId) || isUnspendable) return;
    const flows = byId.get(lineId(by)) ?? new Map<number, NetFlow>();
    byId.set(lineId(by), flows);
    const flow = flows.get(tokenId) ?? noFlow();
    if (!flows.has(tokenId)) count += 1;
    flows.set(tokenId, flow);
    addMove(flow, by, sign * BigInt(amount));
  };
  /** The id of the lines at the end of the last piece: the next piece may have more lines with it. */
  let unfinished = -1;
  let isAtEnd = true;
  let left = least;
  const touches = { addressKeys, ...unread, order, enough };
  yield* forMoves(db, touches, movedBy, (moves, { ids, end }) => {
    for (const [moved, sign] of inOrder(moves)) add(moved, sign);
    unfinished = lineId(end.by);
    left -= ids.length;
    isAtEnd = left > 0 || count - (byId.get(unfinished)?.size ?? 0) <= limit;
    return isAtEnd;
  });
  if (!isAtEnd) byId.delete(unfinished);

  const moved = [...byId.values()].flatMap((flows) => [...flows.keys()]);
  const tokens = yield* tokensById(db, moved);
  const balances = new Map(before);
  const lines = [...read];
  const ordered = [...byId].sort(([one], [other]) => (isAsc ? one - other : other - one));
  for (const [id, flows] of ordered) {
    const byToken = yield* sorted(db, [...flows], ([one], [other]) =>
      tokens.get(one)!.id < tokens.get(other)!.id === isAsc ? -1 : 1,
    );
    for (const [rank, [tokenId, flow]] of byToken.entries()) {
      settle(flow);
      const balance = balances.get(tokenId) ?? 0n;
      const opening = isAsc ? balance : balance - flow.in + flow.out;
      const closing = isAsc ? balance + flow.in - flow.out : balance;
      balances.set(tokenId, isAsc ? closing : opening);
      lines.push({ id, rank, tokenId, opening, in: flow.in, out: flow.out, closing });
    }
  }
  if (isAtEnd) return { lines, unread: { from: unread.to, to: unread.to }, balances };
  const next = isAsc
    ? { from: unfinished, to: unread.to }
    : { from: unread.from, to: per ? unfinished + 1 : firstId(heightOf(unfinished) + 1) };
  return { lines, unread: next, balances };
}

/** Adds blocks, transactions and tokens to the lines, and prices if they are wanted. */
export function* toRows(
  db: Reader,
  lines: Line[],
  { value, per }: Pick<Chosen, "value" | "per">,
): Steps<LineRow[]> {
  if (lines.length === 0) return [];
  const ids = lines.map(({ id }) => id);
  const blocks = yield* blocksAt(db, ids.map(heightOf));
  const hashes = per && (yield* transactionHashes(db, ids));
  const tokens = yield* tokensOf(db, lines);
  const rows = lines.map((line): LineRow => {
    // A block can only be missing if the range has just been replaced, and then the whole read fails.
    const block = blocks.get(heightOf(line.id)) ?? { blockHash: "", time: 0 };
    return { ...line, token: tokens.get(line.tokenId)!, transaction: hashes?.get(line.id), ...block };
  });
  if (value === undefined) return rows;
  const priced = rows.map(({ time, token }) => ({ assetId: token.id, time }));
  const priceOf = yield* pricesAtTimes(db, priced);
  return rows.map((row) => {
    const usd = priceOf({ assetId: row.token.id, time: row.time });
    return { ...row, usd, value: usd === null ? null : valueInUsd(row.closing, row.token.decimals, usd) };
  });
}
