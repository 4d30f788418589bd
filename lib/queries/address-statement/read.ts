import type { z } from "zod";
import { tip } from "#lib/store/common-queries.ts";
import { tokenIds, transactionHashes } from "#lib/store/outputs.ts";
import { type Query, type Reader, tuples } from "#lib/store/query.ts";
import type { TokenRow } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { type Bytes, statementWith, toHex } from "#lib/store/statement.ts";
import { firstId, heightOf, indexOf } from "#lib/store/transaction-id.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { type HeldSum, heldBefore } from "../held.ts";
import { forMoves, type Moved, movedBy } from "../history.ts";
import { refuseIfChanged } from "../named-block.ts";
import { addMove, inOrder, type NetFlow, noFlow, settle } from "../net-flow.ts";
import { sorted } from "../pieces.ts";
import { pricesAtTimes } from "../prices.ts";
import { isOfToken, tokensById, tokensOf } from "../tokens.ts";
import type { Rows, Window } from "../walk.ts";
import { type Ahead, unlessReverted, walkRange } from "../walk-state.ts";
import type { contract, StatementHolding } from "./contract.ts";

/** The place of a line, after which a page begins. */
export interface LinePlace {
  height: number;
  /** The transaction's index in the block, if each transaction has lines of its own. */
  index?: number;
  /** The line's index among those of its block or transaction. */
  rank: number;
  /** Amounts held where the lines of its block or transaction begin, by asset id. Missing if a cursor has no room for them. */
  balances?: [assetId: string, amount: string][] | undefined;
  /** While a response is streamed: lines after the place that have been read. */
  ahead?: Ahead & LinesAhead;
}

interface LinesAhead {
  lines: readonly Line[];
  /** The ids of transactions that have not been read: at least `from`, and below `to`. */
  unread: { from: number; to: number };
  /** Amounts where these begin, or where they end if the newest lines come first, by token. */
  balances: ReadonlyMap<number, bigint>;
}

/** The amounts that a block or a transaction moved of one token. */
interface Line {
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

interface StatementQuery
  extends Window<LinePlace>,
    Partial<Omit<z.output<typeof contract.query>, "pageSize" | "cursor" | "include">> {
  addressKeys: readonly string[];
}

interface StatementPage extends Rows<LineRow, LinePlace> {
  /** The last page ends with the holdings as of the last block. */
  end?: { holdings: StatementHolding[] } | undefined;
}

/** Transactions to look up at once for the second and later pieces of a streamed list. */
const READ_AHEAD = 2_000;

/**
 * The statement of all these addresses together: what they pay one another does not count. Newest lines first, the balances are
 * computed backwards from those at the end. Throws as `walkRange` does.
 */
export const statementOfAddresses: Query<StatementQuery, StatementPage> = {
  effort: "snapshot",
  *read(db, query) {
    const { addressKeys, token, from, to, value, order, per, after, limit, state, ...rest } = query;
    exhaustive(rest);
    const isAsc = order === undefined;
    const range = yield* walkRange(db, { from, to }, state);
    const whole = { from: firstId(range.after + 1), to: firstId(range.to.height + 1) };
    const isListed = yield* isOfToken(db, token);
    const balancesAt = function* (id: number): Steps<Map<number, bigint>> {
      return amountsOf(yield* heldBefore(db, addressKeys, id), isListed);
    };

    const given = unlessReverted(after?.ahead, range);
    const unread = given?.unread ?? { ...whole };
    // A new request reads the block or transaction of its place again, and skips the lines up to the place.
    const skipped = after && !given ? after.rank + 1 : 0;
    if (after && !given) {
      const { height, index } = after;
      if (isAsc) unread.from = firstId(height) + (index ?? 0);
      else unread.to = index === undefined ? firstId(height + 1) : firstId(height) + index + 1;
    }
    let ahead: LinesAhead | undefined = given;
    if (!ahead) {
      const start = isAsc ? Math.min(unread.from, whole.to) : unread.to;
      const known = after?.balances && (yield* readBalances(db, after.balances));
      ahead = { lines: [], unread, balances: known ?? (yield* balancesAt(start)) };
    }
    if (ahead.lines.length <= limit && unread.from < unread.to) {
      // A block has fewer lines than transactions where it moves several addresses.
      const enough = given ? READ_AHEAD : (limit + 2) * (per || addressKeys.length === 1 ? 1 : 2);
      const least = given ? READ_AHEAD : 0;
      const reading = { addressKeys, order, per, limit: skipped + limit, enough, least, isListed };
      ahead = yield* readOn(db, reading, ahead);
    }

    const rows = yield* toRows(db, ahead.lines.slice(skipped, skipped + limit), { value, per });
    const lines = ahead.lines.slice(skipped + limit);
    const size = lines.length + ahead.balances.size;
    const hasNext = lines.length > 0;
    const held = hasNext ? undefined : yield* balancesAt(whole.to);
    const holdings = held && (yield* holdingsOf(db, held));
    const last = isAsc ? held : held && (yield* balancesAt(whole.from));
    yield* refuseIfChanged(db, range.to, heightOf(isAsc ? unread.from : whole.from) - 1);
    if (last && !areEqual(last, ahead.balances)) {
      throw new Error(`The statement of ${addressKeys} does not agree with the holdings at ${range.to.hash}`);
    }
    const tail = rows.at(-1);
    const balances = tail && !given ? yield* balancesBefore(db, ahead, tail, isAsc) : undefined;
    return {
      tip: yield* tip(db),
      asOf: range.asOf,
      rows,
      hasNext,
      last: tail
        ? { ...placeOf(tail, per), balances, ahead: { ...ahead, lines, size, reverts: range.reverts } }
        : null,
      end: holdings && { holdings },
    };
  },
};

const placeOf = ({ id, rank }: Line, per: StatementQuery["per"]): LinePlace => ({
  height: heightOf(id),
  ...(per && { index: indexOf(id) }),
  rank,
});

/** Maximum length of the balances in a cursor, as JSON. */
const MAX_BALANCES = 350;

/** Returns the amounts held before the lines of the tail's block or transaction; undefined if they are too long. */
function* balancesBefore(
  db: Reader,
  { lines, balances: after }: LinesAhead,
  { id }: Line,
  isAsc: boolean,
): Steps<LinePlace["balances"]> {
  const balances = new Map(after);
  for (const line of lines.toReversed()) {
    if (isAsc ? line.id < id : line.id > id) break;
    balances.set(line.tokenId, isAsc ? line.opening : line.closing);
  }
  // Each takes several characters, so further ones need no look-up.
  const held = [...balances].filter(([, amount]) => amount > 0n).slice(0, MAX_BALANCES);
  const heldIds = held.map(([tokenId]) => tokenId);
  const tokens = yield* tokensById(db, heldIds);
  const named = held.map(([id, amount]): [string, string] => [tokens.get(id)!.id, `${amount}`]);
  return JSON.stringify(named).length <= MAX_BALANCES ? named : undefined;
}

function* readBalances(db: Reader, named: NonNullable<LinePlace["balances"]>): Steps<Map<number, bigint>> {
  const assetIds = named.map(([assetId]) => assetId);
  const ids = yield* tokenIds(db, assetIds);
  return new Map(named.map(([assetId, amount]) => [ids.get(assetId)!, BigInt(amount)]));
}

function* holdingsOf(db: Reader, held: ReadonlyMap<number, bigint>): Steps<StatementHolding[]> {
  const tokens = yield* tokensById(db, [...held.keys()]);
  const holdings = Array.from(held, ([id, amount]) => ({ token: tokens.get(id)!.id, amount: `${amount}` }));
  return yield* sorted(db, holdings, (one, other) => (one.token < other.token ? -1 : 1));
}

const amountsOf = (held: Map<number, HeldSum>, isListed: (tokenId: number) => boolean): Map<number, bigint> =>
  new Map(
    [...held.values()].flatMap(({ tokenId, amount }) => (isListed(tokenId) ? [[tokenId, amount]] : [])),
  );

/** Compares amounts by token. A missing token counts as 0. */
const areEqual = (one: ReadonlyMap<number, bigint>, other: ReadonlyMap<number, bigint>): boolean =>
  [...one.keys(), ...other.keys()].every((id) => (one.get(id) ?? 0n) === (other.get(id) ?? 0n));

interface Reading extends Pick<StatementQuery, "addressKeys" | "order" | "per"> {
  /** Reading stops after `least` transactions, once it has more than `limit` lines that are complete. */
  limit: number;
  least: number;
  /** Transactions to look up in the first read. */
  enough: number;
  isListed(tokenId: number): boolean;
}

/** Reads more whole blocks, or whole transactions, and appends their lines. */
function* readOn(
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

const BLOCKS = statementWith(["heights"])(
  (sql) => `SELECT height, hash, timestamp FROM blocks WHERE ${sql.isIn("height", "$heights", "bigint")}`,
);
/** Adds blocks, transactions and tokens to the lines, and prices if they are wanted. */
function* toRows(
  db: Reader,
  lines: Line[],
  { value, per }: Pick<StatementQuery, "value" | "per">,
): Steps<LineRow[]> {
  if (lines.length === 0) return [];
  const ids = lines.map(({ id }) => id);
  const heights = JSON.stringify([...new Set(ids.map(heightOf))]);
  const found = yield* tuples<[height: number, hash: Bytes, time: number]>(db, BLOCKS({ heights }));
  const blocks = new Map(found.map(([height, hash, time]) => [height, { blockHash: toHex(hash), time }]));
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
