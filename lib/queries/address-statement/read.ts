import type { z } from "zod";
import { tip } from "#lib/store/common-queries.ts";
import { tokenIds } from "#lib/store/outputs.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { firstId, heightOf, indexOf } from "#lib/store/transaction-id.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { type HeldSum, heldBefore } from "../held.ts";
import { refuseIfChanged } from "../named-block.ts";
import { sorted } from "../pieces.ts";
import { type Line, type LineRow, type LinesAhead, readOn, toRows } from "../statement-lines.ts";
import { isOfToken, tokensById } from "../tokens.ts";
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
