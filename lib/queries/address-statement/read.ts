import type { z } from "zod";
import { tip } from "#lib/store/common-queries.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { TokenRow } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { type Bytes, statementWith, toHex } from "#lib/store/statement.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { type Held, heldBefore } from "../held.ts";
import { forMoves, type Moved, movedBy, tuples } from "../history.ts";
import { refuseIfReplaced } from "../named-block.ts";
import { sorted } from "../pieces.ts";
import { pricesAtTimes } from "../prices.ts";
import { isOfToken, tokensById, tokensOf } from "../tokens.ts";
import type { Rows, Window } from "../walk.ts";
import { walkRange } from "../walk-state.ts";
import type { contract, StatementHolding } from "./contract.ts";

/** The place of a line, after which a page begins. */
export interface LinePlace extends Pick<Line, "height" | "rank"> {
  /** While a response is streamed: lines after the place that have been read. */
  ahead?: Ahead;
}

interface Ahead {
  lines: readonly Line[];
  /** Id of the first transaction that has not been read. */
  next: number;
  /** Amounts before that transaction, by token. */
  balances: ReadonlyMap<number, bigint>;
}

/** The amounts that a block moved of one token of the address. */
interface Line {
  height: number;
  /** Its index among the block's lines. */
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
  /** Milliseconds since the Unix epoch. */
  time: number;
  /** US dollars scaled by 10^18; null without a price, undefined if prices were not requested. */
  usd?: bigint | null;
  /** The closing amount at that price, in units of 10^-8 US dollars. */
  value?: bigint | null;
}

interface StatementQuery
  extends Window<LinePlace>,
    Omit<z.output<typeof contract.query>, "pageSize" | "cursor" | "include"> {
  addressKey: string;
}

interface StatementPage extends Rows<LineRow, LinePlace> {
  /** The last page ends with the holdings as of the last block. */
  end?: { holdings: StatementHolding[] } | undefined;
}

/** Transactions to look up at once for the second and later pieces of a streamed list. */
const READ_AHEAD = 2_000;

/** Throws as `walkRange` does. */
export const statementOfAddress: Query<StatementQuery, StatementPage> = {
  effort: "snapshot",
  *read(db, { addressKey, token, from, to, value, after, limit, state, ...rest }) {
    exhaustive(rest);
    const range = yield* walkRange(db, { from, to }, state);
    const end = firstId(range.to.height + 1);
    const isListed = yield* isOfToken(db, token);

    const given = after?.ahead;
    const first = given?.next ?? firstId(after?.height ?? range.after + 1);
    let ahead = given;
    if (!ahead) {
      const held = yield* heldBefore(db, addressKey, Math.min(first, end));
      ahead = { lines: [], next: first, balances: amountsOf(held, isListed) };
    }
    // A new request reads the block of its place from the start, and skips the lines up to the place.
    const skipped = after && !given ? after.rank + 1 : 0;
    if (ahead.lines.length <= limit && ahead.next < end) {
      const enough = given ? READ_AHEAD : limit + 2;
      ahead = yield* readOn(db, { addressKey, end, limit: skipped + limit, enough, isListed }, ahead);
    }

    const rows = yield* toRows(db, ahead.lines.slice(skipped, skipped + limit), value !== undefined);
    const left = { ...ahead, lines: ahead.lines.slice(skipped + limit) };
    const hasNext = left.lines.length > 0;
    const held = hasNext ? undefined : amountsOf(yield* heldBefore(db, addressKey, end), isListed);
    const holdings = held && (yield* holdingsOf(db, held));
    yield* refuseIfReplaced(db, range.to, heightOf(first) - 1);
    if (held && !areEqual(held, ahead.balances)) {
      throw new Error(`The statement of ${addressKey} does not end with its holdings at ${range.to.hash}`);
    }
    const tail = rows.at(-1);
    return {
      tip: yield* tip(db),
      asOf: range.asOf,
      rows,
      hasNext,
      last: tail ? { height: tail.height, rank: tail.rank, ahead: left } : null,
      end: holdings && { holdings },
    };
  },
};

function* holdingsOf(db: Reader, held: ReadonlyMap<number, bigint>): Steps<StatementHolding[]> {
  const tokens = yield* tokensById(db, [...held.keys()]);
  const holdings = Array.from(held, ([id, amount]) => ({ token: tokens.get(id)!.id, amount: `${amount}` }));
  return yield* sorted(db, holdings, (one, other) => (one.token < other.token ? -1 : 1));
}

const amountsOf = (held: Map<number, Held>, isListed: (tokenId: number) => boolean): Map<number, bigint> =>
  new Map(
    [...held.values()].flatMap(({ tokenId, amount }) => (isListed(tokenId) ? [[tokenId, amount]] : [])),
  );

/** Compares amounts by token. A missing token counts as 0. */
const areEqual = (one: ReadonlyMap<number, bigint>, other: ReadonlyMap<number, bigint>): boolean =>
  [...one.keys(), ...other.keys()].every((id) => (one.get(id) ?? 0n) === (other.get(id) ?? 0n));

interface Reading {
  addressKey: string;
  /** Id above all transactions of the range. */
  end: number;
  /** Reading stops after `enough` transactions, once it has more than `limit` lines of whole blocks. */
  limit: number;
  enough: number;
  isListed(tokenId: number): boolean;
}

type Flow = { in: bigint; out: bigint };

/** Reads more whole blocks, and appends their lines. */
function* readOn(
  db: Reader,
  { addressKey, end, limit, enough, isListed }: Reading,
  { lines: read, next, balances: before }: Ahead,
): Steps<Ahead> {
  const byHeight = new Map<number, Map<number, Flow>>();
  let count = read.length;
  const add = (way: keyof Flow, [id, tokenId, amount]: Moved) => {
    if (!isListed(tokenId)) return;
    const height = heightOf(id);
    const flows = byHeight.get(height) ?? new Map<number, Flow>();
    byHeight.set(height, flows);
    const flow = flows.get(tokenId) ?? { in: 0n, out: 0n };
    if (!flows.has(tokenId)) count += 1;
    flows.set(tokenId, flow);
    flow[way] += BigInt(amount);
  };
  /** Height of the block in which the last piece ended: the next piece may have more of this block. */
  let unfinished = -1;
  const touches = { addressKey, from: next, to: end, enough };
  let isAtEnd = true;
  let left = enough;
  yield* forMoves(db, touches, movedBy, ({ created, spent }, { ids, end }) => {
    for (const moved of created) add("in", moved);
    for (const moved of spent) add("out", moved);
    unfinished = heightOf(end.by);
    left -= ids.length;
    isAtEnd = left > 0 || count - (byHeight.get(unfinished)?.size ?? 0) <= limit;
    return isAtEnd;
  });
  if (!isAtEnd) byHeight.delete(unfinished);

  const ids = [...byHeight.values()].flatMap((flows) => [...flows.keys()]);
  const tokens = yield* tokensById(db, ids);
  const balances = new Map(before);
  const lines = [...read];
  for (const [height, flows] of [...byHeight].sort(([one], [other]) => one - other)) {
    const inOrder = yield* sorted(db, [...flows], ([one], [other]) =>
      tokens.get(one)!.id < tokens.get(other)!.id ? -1 : 1,
    );
    for (const [rank, [tokenId, flow]] of inOrder.entries()) {
      const opening = balances.get(tokenId) ?? 0n;
      const closing = opening + flow.in - flow.out;
      balances.set(tokenId, closing);
      lines.push({ height, rank, tokenId, opening, in: flow.in, out: flow.out, closing });
    }
  }
  return { lines, next: isAtEnd ? end : firstId(unfinished), balances };
}

const BLOCKS = statementWith(["heights"])(
  (sql) => `SELECT height, hash, timestamp FROM blocks WHERE ${sql.isIn("height", "$heights", "bigint")}`,
);
/** Adds blocks and tokens to the lines, and prices if they are wanted. */
function* toRows(db: Reader, lines: Line[], withValue: boolean): Steps<LineRow[]> {
  if (lines.length === 0) return [];
  const heights = JSON.stringify([...new Set(lines.map(({ height }) => height))]);
  const found = yield* tuples<[height: number, hash: Bytes, time: number]>(db, BLOCKS({ heights }));
  const blocks = new Map(found.map(([height, hash, time]) => [height, { blockHash: toHex(hash), time }]));
  const tokens = yield* tokensOf(db, lines);
  const rows = lines.map((line): LineRow => {
    // A block can only be missing if the range has just been replaced, and then the whole read fails.
    const block = blocks.get(line.height) ?? { blockHash: "", time: 0 };
    return { ...line, token: tokens.get(line.tokenId)!, ...block };
  });
  if (!withValue) return rows;
  const priceOf = yield* pricesAtTimes(
    db,
    rows.map(({ time, token }) => ({ assetId: token.id, time })),
  );
  return rows.map((row) => {
    const usd = priceOf({ assetId: row.token.id, time: row.time });
    return { ...row, usd, value: usd === null ? null : valueInUsd(row.closing, row.token.decimals, usd) };
  });
}
