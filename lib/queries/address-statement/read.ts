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
import { forMoves, movedBy, tuples } from "../history.ts";
import { refuseIfReplaced } from "../named-block.ts";
import { sorted } from "../pieces.ts";
import { pricesAtTimes } from "../prices.ts";
import { isOfToken, tokensById, tokensOf } from "../tokens.ts";
import type { Rows, Window } from "../walk.ts";
import { walkRange } from "../walk-state.ts";
import type { contract, StatementHolding } from "./contract.ts";

/** The place of a line. */
export interface LinePlace extends Pick<Line, "height" | "rank"> {
  /** What was read beyond the place, while one answer is written. */
  ahead?: Ahead;
}

interface Ahead {
  lines: readonly Line[];
  /** Transactions from this id on were not read. */
  next: number;
  /** Before them, by token. */
  balances: ReadonlyMap<number, bigint>;
}

/** What a block did to one token of the address. */
interface Line {
  height: number;
  /** Among the block's lines, from 0 on. */
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
  /** US dollars scaled by 10^18, and 10^-8 US dollars; null without a price, missing if they were not asked for. */
  usd?: bigint | null;
  value?: bigint | null;
}

interface StatementQuery
  extends Window<LinePlace>,
    Omit<z.output<typeof contract.query>, "pageSize" | "cursor" | "include"> {
  addressKey: string;
}

interface StatementPage extends Rows<LineRow, LinePlace> {
  /** After the last line: what is held as of the last block. */
  end?: { holdings: StatementHolding[] } | undefined;
}

/** Transactions that a list which is had whole looks up together. */
const READ_AHEAD = 2_000;

/** Throws as `walkRange` does. */
export const statementOfAddress: Query<StatementQuery, StatementPage> = {
  effort: "snapshot",
  *read(db, { addressKey, token, from, to, value, after, limit, state, ...rest }) {
    exhaustive(rest);
    const range = yield* walkRange(db, { from, to }, state);
    const end = firstId(range.to.height + 1);
    const isListed = yield* isOfToken(db, token);

    const known = after?.ahead;
    const first = firstId(after?.height ?? range.after + 1);
    const before = heightOf(known?.next ?? first) - 1;
    let ahead: Ahead;
    if (known) ahead = known;
    else {
      const held = yield* heldBefore(db, addressKey, Math.min(first, end));
      ahead = { lines: [], next: first, balances: amountsOf(held, isListed) };
    }
    if (ahead.lines.length <= limit && ahead.next < end) {
      // Of the block that it goes on in, lines may have been given.
      const above = known || !after ? -1 : after.height;
      const enough = known ? READ_AHEAD : limit + 2;
      const read = yield* readOn(db, { addressKey, end, limit, above, enough, isListed }, ahead);
      const isFurther = ({ height, rank }: Line) => !after || height > after.height || rank > after.rank;
      ahead = known ? read : { ...read, lines: read.lines.filter(isFurther) };
    }

    const hasNext = ahead.lines.length > limit;
    const lines = ahead.lines.slice(0, limit);
    const rows = yield* toRows(db, lines, value !== undefined);
    const tail = rows.at(-1);
    const last = tail && {
      height: tail.height,
      rank: tail.rank,
      ahead: { ...ahead, lines: ahead.lines.slice(limit) },
    };
    const held = hasNext ? undefined : amountsOf(yield* heldBefore(db, addressKey, end), isListed);
    const holdings = held && (yield* holdingsOf(db, held));
    yield* refuseIfReplaced(db, range.to, before);
    if (held && !areEqual(held, ahead.balances)) {
      throw new Error(`The statement of ${addressKey} does not end with its holdings at ${range.to.hash}`);
    }
    return {
      tip: yield* tip(db),
      asOf: range.asOf,
      rows,
      hasNext,
      last: last ?? null,
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

/** A token of which nothing is left may be missing. */
const areEqual = (one: ReadonlyMap<number, bigint>, other: ReadonlyMap<number, bigint>): boolean =>
  [...one.keys(), ...other.keys()].every((id) => (one.get(id) ?? 0n) === (other.get(id) ?? 0n));

interface Reading {
  addressKey: string;
  end: number;
  /** More lines than this are enough, of blocks above this height. */
  limit: number;
  above: number;
  enough: number;
  isListed(tokenId: number): boolean;
}

type Flow = { in: bigint; out: bigint };

/** More lines, of whole blocks. */
function* readOn(
  db: Reader,
  { addressKey, end, limit, above, enough, isListed }: Reading,
  { lines: known, next, balances: before }: Ahead,
): Steps<Ahead> {
  const byHeight = new Map<number, Map<number, Flow>>();
  let count = known.length;
  const flowAt = (id: number, tokenId: number): Flow => {
    const height = heightOf(id);
    let flows = byHeight.get(height);
    if (!flows) {
      flows = new Map();
      byHeight.set(height, flows);
    }
    let flow = flows.get(tokenId);
    if (!flow) {
      flow = { in: 0n, out: 0n };
      flows.set(tokenId, flow);
      if (height > above) count += 1;
    }
    return flow;
  };
  /** The block that a piece ends in; the next piece may have more of it. */
  let unfinished = -1;
  const touches = { addressKey, from: next, to: end, enough };
  let isAtEnd = true;
  let left = enough;
  yield* forMoves(db, touches, movedBy, ({ created, spent }, { ids, end }) => {
    for (const [id, tokenId, amount] of created) {
      if (isListed(tokenId)) flowAt(id, tokenId).in += BigInt(amount);
    }
    for (const [id, tokenId, amount] of spent) {
      if (isListed(tokenId)) flowAt(id, tokenId).out += BigInt(amount);
    }
    unfinished = heightOf(end.by);
    left -= ids.length;
    isAtEnd = left > 0 || count - (byHeight.get(unfinished)?.size ?? 0) <= limit;
    return isAtEnd;
  });
  if (!isAtEnd) byHeight.delete(unfinished);

  const ids = [...byHeight.values()].flatMap((flows) => [...flows.keys()]);
  const tokens = yield* tokensById(db, ids);
  const balances = new Map(before);
  const lines = [...known];
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
/** The lines with their blocks and tokens, and prices if they are wanted. */
function* toRows(db: Reader, lines: Line[], withValue: boolean): Steps<LineRow[]> {
  if (lines.length === 0) return [];
  const heights = JSON.stringify([...new Set(lines.map(({ height }) => height))]);
  const found = yield* tuples<[height: number, hash: Bytes, time: number]>(db, BLOCKS({ heights }));
  const blocks = new Map(found.map(([height, hash, time]) => [height, { hash: toHex(hash), time }]));
  const tokens = yield* tokensOf(db, lines);
  const rows = lines.map((line): LineRow => {
    // A block that has gone meanwhile makes the whole read void.
    const { hash, time } = blocks.get(line.height) ?? { hash: "", time: 0 };
    return { ...line, token: tokens.get(line.tokenId)!, blockHash: hash, time };
  });
  if (!withValue) return rows;
  const asked = rows.map(({ time, token }) => ({ assetId: token.id, time }));
  const priceOf = yield* pricesAtTimes(db, asked);
  return rows.map((row) => {
    const usd = priceOf({ assetId: row.token.id, time: row.time });
    return { ...row, usd, value: usd === null ? null : valueInUsd(row.closing, row.token.decimals, usd) };
  });
}
