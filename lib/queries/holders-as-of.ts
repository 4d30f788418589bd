/**
 * Who held an asset after any block. This is not stored, but most holdings have not changed since. So a page lists the current
 * holders, and recomputes those whose outputs later blocks created or spent.
 */
import { LRUCache } from "lru-cache";
import type { BlockReference } from "#lib/contract/block-reference.ts";
import { ApiError, serverIsBusy } from "#lib/contract/errors.ts";
import { horizon, reverts, tip } from "#lib/store/common-queries.ts";
import { type Query, type Reader, tuples } from "#lib/store/query.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, first, statementWith } from "#lib/store/statement.ts";
import { transactionId } from "#lib/store/transaction-id.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import type { Holder } from "./asset-holders/contract.ts";
import { type Found, type HolderPlace, holdersNow, type Owner, pageOf } from "./asset-holders/read.ts";
import {
  isSame,
  rangeUpTo,
  refuseFilled,
  refuseIfChanged,
  type State,
  stateAt,
  stateNow,
} from "./named-block.ts";
import { firstIndex, merge, PIECE, sorted } from "./pieces.ts";
import { tokenIdOf } from "./tokens.ts";
import type { Rows, Window } from "./walk.ts";
import { walkRange } from "./walk-state.ts";

/** Limits of a request. Reading this many outputs takes seconds, and this many addresses take about 100 MB. */
const MAX_OUTPUTS = 5_000_000;
const MAX_ADDRESSES = 250_000;
/** Blocks and transactions whose outputs are sought together, and outputs that one statement reads: in about 10 ms. */
const BLOCKS_AT_ONCE = 200;
const TRANSACTIONS_AT_ONCE = 2_000;
const OUTPUTS_AT_ONCE = 5_000;

/** Blocks that moved the asset. */
const BLOCKS_OF = statementWith(["token", "after", "to", "limit"])(
  `SELECT c.height, b.transaction_count AS transactions FROM asset_changes c JOIN blocks b ON b.height = c.height
   WHERE c.token_id = $token AND c.height > $after AND c.height <= $to ORDER BY c.height LIMIT CAST($limit AS bigint)`,
);
const FIRST_BLOCK = statementWith(["token"])(
  "SELECT min(height) AS height FROM asset_changes WHERE token_id = $token",
);

/** Outputs that transactions create or spend. Those of other assets count towards the limit, but have no owner. */
const movedStatement = (by: "transaction_id" | "spent_transaction_id") =>
  statementWith(["ids", "token", "limit", "skip"])(
    (sql) => `SELECT
       CASE WHEN o.token_id = $token AND o.transaction_id >= 0 THEN o.${sql.owner.column} END AS owner,
       CAST(coalesce(o.amount, o.capacity) AS TEXT) AS amount, CAST(o.capacity AS TEXT) AS capacity
     FROM outputs o WHERE ${sql.isIn(`o.${by}`, "$ids", "bigint")}
     ${sql.engine === "sqlite" ? "" : "ORDER BY o.transaction_id, o.output_index"}
     LIMIT CAST($limit AS bigint) OFFSET CAST($skip AS bigint)`,
  );
const CREATED = movedStatement("transaction_id");
const SPENT = movedStatement("spent_transaction_id");
interface MovingBlock {
  height: number;
  transactions: number;
}
type MovedTuple = [owner: Owner | null, amount: string, capacity: string];

/** Addresses, with what they hold now. */
const HOLDINGS_OF = statementWith(["owners", "token"])(
  (sql) => `SELECT a.${sql.owner.primaryKey} AS owner, ${sql.hex("a.key")} AS key, a.text AS address,
     coalesce(h.output_count, 0) AS "outputCount", CAST(coalesce(h.amount, 0) AS TEXT) AS amount,
     CAST(coalesce(h.capacity, 0) AS TEXT) AS capacity
   FROM addresses a LEFT JOIN holdings h ON h.${sql.owner.column} = a.${sql.owner.primaryKey} AND h.token_id = $token
   WHERE ${sql.isIn(`a.${sql.owner.primaryKey}`, "$owners", sql.owner.type)}`,
);

/** Sums of the outputs that blocks created, less those that they spent. */
interface Moved {
  count: number;
  amount: bigint;
  capacity: bigint;
}

/** How the holders after a block differ from the current ones. It stays true while that block is canonical. */
interface Holders {
  /** Later blocks up to this state are considered. */
  reached: State;
  /** Keys of the addresses whose holdings have changed since. Keys, because a revert may give a number to another address. */
  changed: ReadonlySet<string>;
  /** Those of them who held the asset, in order. */
  rows: readonly Found[];
  /** Whether these are all holders, added up from the first block on. */
  isWhole: boolean;
}

/** A cache of holders by block and asset, for further pages. */
interface SharedHolders {
  /** Maximum number of addresses in the cache, and in the work for one request. */
  most: number;
  cache: LRUCache<string, Holders>;
}
export const sharedHolders = (most = MAX_ADDRESSES): SharedHolders => ({
  most,
  cache: new LRUCache({
    // An address that changed may be a row, too.
    maxSize: 2 * most + 1,
    sizeCalculation: ({ changed, rows }) => changed.size + rows.length + 1,
  }),
});

/** The largest first, as in the list of those who hold the asset now. The more digits, the larger the amount. */
const inOrder = (one: HolderPlace, other: HolderPlace): number =>
  other.amount.length - one.amount.length ||
  descending(one.amount, other.amount) ||
  descending(one.key, other.key);
const descending = (one: string, other: string) => Number(one < other) - Number(one > other);

/** Adds up the outputs that the next of these blocks move. Returns the height of the last one, and how many outputs it read. */
function* addMoved(
  db: Reader,
  token: number,
  blocks: MovingBlock[],
  sums: Map<Owner, Moved>,
): Steps<{ height: number; outputs: number }> {
  let height = -1;
  const ids: number[] = [];
  for (const block of blocks) {
    if (ids.length >= TRANSACTIONS_AT_ONCE) break;
    ({ height } = block);
    for (let index = 0; index < block.transactions; index++) ids.push(transactionId(height, index));
  }
  let outputs = 0;
  for (const [statement, sign] of [
    [CREATED, 1n],
    [SPENT, -1n],
  ] as const) {
    for (let skip = 0, isMore = true; isMore; skip += OUTPUTS_AT_ONCE) {
      const values = { ids: JSON.stringify(ids), token, limit: OUTPUTS_AT_ONCE, skip };
      const rows = yield* tuples<MovedTuple>(db, statement(values));
      for (const [owner, amount, capacity] of rows) {
        if (owner === null) continue;
        const sum = sums.get(owner) ?? { count: 0, amount: 0n, capacity: 0n };
        sum.count += Number(sign);
        sum.amount += sign * BigInt(amount);
        sum.capacity += sign * BigInt(capacity);
        sums.set(owner, sum);
      }
      outputs += rows.length;
      isMore = rows.length === OUTPUTS_AT_ONCE;
      yield* done(db.pause());
    }
  }
  return { height, outputs };
}

/** Adds what blocks changed since. */
function* caughtUp(db: Reader, token: number, at: State, known: Holders, most: number): Steps<Holders> {
  const { isWhole, changed } = known;
  let { reached } = known;
  let { height } = reached;
  let outputs = 0;
  const sums = new Map<Owner, Moved>();
  const keys = new Set<string>();
  const found: Found[] = [];
  for (let read = 0; ; ) {
    const now = isWhole ? at : yield* stateNow(db);
    if (height >= 0 && !isSame(now, reached)) yield* refuseFilled(db, reached);
    reached = now!;
    const next = { token, after: height, to: reached.height, limit: BLOCKS_AT_ONCE };
    const blocks = height < reached.height ? yield* all<MovingBlock>(db, BLOCKS_OF(next)) : [];
    if (blocks.length > 0) {
      const added = yield* addMoved(db, token, blocks, sums);
      height = added.height;
      outputs += added.outputs;
      if (outputs > MAX_OUTPUTS || changed.size + sums.size > most) throw tooFar(most);
      continue;
    }
    height = reached.height;
    const owners = sums.keys().drop(read).take(PIECE).toArray();
    if (owners.length === 0) break;
    const holdings = yield* all<Found>(db, HOLDINGS_OF({ owners: JSON.stringify(owners), token }));
    if (!isWhole && !isSame(yield* stateNow(db), reached)) continue;
    for (const holding of holdings) {
      keys.add(holding.key);
      // These holdings are known already. Later changes do not alter them.
      if (changed.has(holding.key)) continue;
      const held = heldBy(holding, sums.get(holding.owner)!, isWhole);
      if (held.outputCount > 0) found.push(held);
    }
    read += owners.length;
    yield* done(db.pause());
  }
  if (sums.size === 0) return { ...known, reached };
  const rows = yield* merge(db, known.rows, yield* sorted(db, found, inOrder), inOrder);
  return { reached, changed: changed.union(keys), rows, isWhole };
}

/** Returns what an address held: the sums up to then, or what it holds now without the later sums. */
function heldBy(now: Found, moved: Moved, isWhole: boolean): Found {
  const { count, amount, capacity } = isWhole
    ? moved
    : {
        count: now.outputCount - moved.count,
        amount: BigInt(now.amount) - moved.amount,
        capacity: BigInt(now.capacity) - moved.capacity,
      };
  const { owner, key, address } = now;
  return { owner, key, address, outputCount: count, amount: `${amount}`, capacity: `${capacity}` };
}

function tooFar(most: number): ApiError {
  const message = `More than ${most} addresses or ${MAX_OUTPUTS} outputs changed since then: ask for a later block`;
  return new ApiError("BAD_REQUEST", [{ path: ["query", "at"], code: "too_far", message }]);
}

/** Holders before anything is read. It adds up from the first block if that is less work than from the named block. */
function* unknownHolders(db: Reader, token: number, at: State): Steps<Holders> {
  const lowest = yield* first<{ height: number | null }>(db, FIRST_BLOCK({ token }));
  const newest = yield* stateNow(db);
  const before = at.height - (lowest?.height ?? 0);
  // Below a horizon, outputs may go while they are added up.
  const isWhole = before < newest!.height - at.height && (yield* horizon(db)) < 0;
  return { reached: isWhole ? NOTHING : at, changed: new Set(), rows: [], isWhole };
}
const NOTHING: State = { height: -1, hash: "", gaps: "" };

/** At most `limit` holders after a place. It may yield to other requests. */
function* rowsAfter(
  db: Reader,
  token: number,
  { rows, changed, isWhole }: Holders,
  after: HolderPlace | undefined,
  limit: number,
): Steps<Found[]> {
  const from = after ? firstIndex(rows, (row) => inOrder(row, after) > 0) : 0;
  let page = rows.slice(from, from + limit);
  let place = after;
  // Most pages lack only a few holders after the first read.
  for (let size = limit, more = 32; !isWhole; size = more, more = Math.min(2 * more, PIECE)) {
    const some: Found[] = yield* holdersNow(db, token, place, size);
    const same = some.filter(({ key }) => !changed.has(key));
    page = [...page, ...same].sort(inOrder).slice(0, limit);
    place = some.at(-1);
    if (some.length < size || (page.length === limit && inOrder(page.at(-1)!, place!) <= 0)) break;
    yield* done(db.pause());
  }
  return page;
}

interface AsOfQuery extends Window<HolderPlace> {
  id: string;
  at?: BlockReference | undefined;
  shared: SharedHolders;
}

/**
 * A page of an asset's holders after a block, or after the tip of the first page; null if no indexed block mentions the asset.
 * Throws as `walkRange` does, and BAD_REQUEST if too much changed since.
 */
export const holdersAsOf: Query<AsOfQuery, Rows<Holder, HolderPlace> | null> = {
  effort: "snapshot",
  *read(db, { id, at, after, limit, state, shared, ...rest }) {
    exhaustive(rest);
    const newest = yield* tip(db);
    const now = at === undefined && newest ? yield* stateAt(db, newest) : null;
    if (now && isSame(now, state ?? now)) {
      const token = yield* tokenIdOf(db, id);
      if (token === null) return null;
      const found = yield* holdersNow(db, token, after, limit + 1);
      return { tip: newest, asOf: { ...now, after: -1 }, ...pageOf(found, limit) };
    }
    const { to, asOf, reverts: since } = yield* walkRange(db, { to: at }, state);
    const token = yield* tokenIdOf(db, id);
    if (token === null) return null;
    const key = [id, to.hash, to.gaps].join(" ");
    const known = shared.cache.get(key);
    const isCurrent =
      known && isSame((yield* rangeUpTo(db, known.reached.hash, -1))?.to ?? null, known.reached);
    let holders = isCurrent ? known : yield* unknownHolders(db, token, to);
    let found: Found[];
    do {
      holders = yield* caughtUp(db, token, to, holders, shared.most);
      found = yield* rowsAfter(db, token, holders, after, limit + 1);
    } while (!holders.isWhole && !isSame(yield* stateNow(db), holders.reached));
    if (!isCurrent && holders.isWhole && (yield* horizon(db)) >= 0) throw serverIsBusy();
    yield* refuseIfChanged(db, asOf);
    // Reverted blocks may have come back.
    if ((yield* reverts(db)) === since) shared.cache.set(key, holders);
    return { tip: yield* tip(db), asOf, ...pageOf(found, limit) };
  },
};
