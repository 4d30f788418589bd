/** Reads outputs of transactions, spent or not, and what became of them. Lists of inputs and outputs and single outputs share it. */
import type { AddressText } from "#lib/contract/ledger.ts";
import { type MaybeTip, TIP_SQL, tipIn, toHorizon } from "#lib/store/common-queries.ts";
import { ownersOf, transactionHashes } from "#lib/store/outputs.ts";
import { type Reader, tuples } from "#lib/store/query.ts";
import type { IndexTip, TokenRow } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { type Dialect, first, statementWith, toBytes } from "#lib/store/statement.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import type { UtxoRow } from "./address-utxos/read.ts";
import { isUnspendable } from "./history.ts";
import { type AsOfFields, asOfFields, gapsIn, NAMED_BLOCK_SQL, namedBlockValues } from "./named-block.ts";
import { factsAt } from "./output-kinds.ts";
import { type TokenColumns, tokenColumns, tokensById, tokensSql, toTokenEntry } from "./tokens.ts";
import type { WalkState } from "./walk-state.ts";
import { asOfWrite, CACHE_VALUES, readThrough, type UncachedTokens, uncachedTokens } from "./write-cache.ts";

/** `height` is negative if the output's block is not indexed. Then an indexed block spends it. */
export interface ListedOutput extends UtxoRow {
  owner: AddressText;
  /** Rows with the same spender share this object. */
  spent: { transactionHash: string; height: number; timestamp: number } | null;
  /** Nobody can ever spend it. */
  isUnspendable: boolean;
}

export type Side = "inputs" | "outputs";
type Held = [tokenId: number, amount: string | null, capacity: string];
/** `other` is the transaction that spends the output or, in a list of inputs, that created it. The hash is its hash. */
type Columns = [
  ...[index: number, other: number | null],
  ...Held,
  ...[address: number | string, hash: string | null, time: number | null],
];

type Last = (sql: Dialect, otherEnd: string) => string;

/** Selects outputs of the transaction `id` from an index on, with what `last` selects as the last three columns. */
function pageSql(sql: Dialect, side: Side, id: string, last: Last): string {
  const [by, index, otherEnd] =
    side === "inputs"
      ? ["spent_transaction_id", "spent_input_index", "transaction_id"]
      : ["transaction_id", "output_index", "spent_transaction_id"];
  return `SELECT o.output_index, o.${otherEnd} AS other, o.token_id, CAST(o.amount AS TEXT) AS amount,
      CAST(o.capacity AS TEXT) AS capacity, ${last(sql, `o.${otherEnd}`)}
    FROM outputs o WHERE o.${by} = ${id} AND o.${index} >= CAST($from AS bigint)
    ORDER BY o.${index} LIMIT CAST($limit AS bigint)`;
}

const near: Last = (sql, otherEnd) => `
    (SELECT text FROM addresses WHERE ${sql.owner.primaryKey} = o.${sql.owner.column}) AS address,
    (SELECT ${sql.hex("hash")} FROM transactions WHERE id = ${otherEnd}) AS hash,
    (SELECT timestamp FROM blocks WHERE height = o.spent_transaction_id >> 20) AS time`;
/** With Citus, addresses and transactions are on other machines. */
const far: Last = (sql) => `o.${sql.owner.column} AS address, NULL AS hash, NULL AS time`;

const bySide = <T>(make: (side: Side) => T) => ({ inputs: make("inputs"), outputs: make("outputs") });
const pages = (last: Last) =>
  bySide((side) => statementWith(["id", "from", "limit"])((sql) => pageSql(sql, side, "$id", last)));
const PAGES = pages(near);
const FAR_PAGES = pages(far);

/** PostgreSQL on one machine: a page with its state, its transaction, and tokens that are not cached. */
const PAGES_IN_ONE = bySide((side) =>
  statementWith(["hash", "from", "limit", "namedHeight", "namedHash", "namedTime", ...CACHE_VALUES])(
    (sql) => `WITH as_of AS MATERIALIZED (${NAMED_BLOCK_SQL}),
      own AS MATERIALIZED (SELECT x.id FROM transactions x WHERE ${sql.ofTransaction("x", "$hash")})
    SELECT tip.height, tip.hash, tip.gaps, page.outputs, (SELECT id FROM own) AS id,
      (SELECT json_build_object(${asOfFields(sql)}) FROM as_of) AS as_of, ${uncachedTokens(tokenColumns(sql))}
    FROM (
      SELECT json_agg(json_build_array(output_index, other, token_id, amount, capacity, address, hash, time)) AS outputs,
        array_agg(token_id) AS token_ids
      FROM (${pageSql(sql, side, "(SELECT id FROM own)", near)}) listed
    ) page LEFT JOIN LATERAL (${TIP_SQL}) tip ON true`,
  ),
);
type PageInOne = MaybeTip &
  UncachedTokens<TokenColumns> & { outputs: Columns[] | null; id: number | null; as_of: AsOfFields | null };

/** Looks up what `FAR_PAGES` lacks. */
function* completed(db: Reader, side: Side, id: number, rows: Columns[]): Steps<Columns[]> {
  if (rows.length === 0) return rows;
  const owners = rows.map(([, , , , , owner]) => ({ owner }));
  const addresses = yield* ownersOf(db, owners);
  const others = rows.map(([, other]) => other).filter((other) => other !== null);
  const hashes = yield* transactionHashes(db, others);
  const heights = (side === "inputs" ? [id] : others).map(heightOf);
  const facts = yield* factsAt(db, [...new Set(heights)]);
  const times = new Map(facts.map(({ height, timestamp }) => [height, timestamp]));
  return rows.map(([index, other, tokenId, amount, capacity, owner]): Columns => {
    const spentBy = side === "inputs" ? id : other;
    const hash = other === null ? null : hashes.get(other)!;
    const time = spentBy === null ? null : (times.get(heightOf(spentBy)) ?? null);
    return [index, other, tokenId, amount, capacity, addresses.get(owner)!.text, hash, time];
  });
}

export interface PageQuery {
  hash: string;
  /** The first index. */
  from: number;
  limit: number;
}

export interface Found {
  tip: IndexTip | null;
  asOf: WalkState;
  rows: ListedOutput[];
}

/**
 * A page of what a transaction spends or creates, in one statement, as of a walk's state or the tip. Returns null if the page
 * needs several: that finds out why the state or the transaction is not there.
 */
export function* outputsInOne(
  db: Reader,
  side: Side,
  { hash, from, limit }: PageQuery,
  state?: WalkState,
): Steps<Found | null> {
  if (db.engine === "sqlite" || db.distributed || db.isOneState) return null;
  const cached = readThrough(db, db.tokenCache, TOKENS_OF_WRITE, toTokenEntry);
  const named = namedBlockValues(state ?? "tip");
  const page = PAGES_IN_ONE[side]({ hash: toBytes(hash), from, limit, ...named, ...cached.values });
  const row = (yield* first<PageInOne>(db, page))!;
  const { id, as_of: block, outputs } = row;
  if (block === null || id === null || id < 0 || heightOf(id) <= toHorizon(block.horizon)) return null;
  const asOf = { height: block.height, hash: block.hash, gaps: gapsIn(block.gaps), after: -1 };
  if (state && state.gaps !== asOf.gaps) return null;
  const columns = outputs ?? [];
  const tokens = yield* cached.complete(row, tokenNumbers(columns));
  const rows = toRows(side, { id, hash }, firstId(asOf.height + 1), columns, tokens);
  return { tip: tipIn(row), asOf, rows };
}

const TOKENS_OF_WRITE = asOfWrite(tokensSql);
const tokenNumbers = (rows: readonly Columns[]) => rows.map(([, , tokenId]) => tokenId);

/** A page of what the transaction with this id spends or creates. It is spent if one with an id below `end` spends it. */
export function* outputsFrom(
  db: Reader,
  side: Side,
  { hash, ...page }: PageQuery & { id: number },
  end: number,
): Steps<ListedOutput[]> {
  const isFar = db.engine === "postgres" && db.distributed;
  const read = yield* tuples<Columns>(db, (isFar ? FAR_PAGES : PAGES)[side](page));
  const rows = isFar ? yield* completed(db, side, page.id, read) : read;
  return toRows(side, { id: page.id, hash }, end, rows, yield* tokensById(db, tokenNumbers(rows)));
}

function toRows(
  side: Side,
  own: { id: number; hash: string },
  end: number,
  rows: readonly Columns[],
  tokens: ReadonlyMap<number, TokenRow>,
): ListedOutput[] {
  const spenders = new Map<number, NonNullable<ListedOutput["spent"]>>();
  return rows.map(([outputIndex, other, tokenId, amount, capacity, address, hash, time]): ListedOutput => {
    const [createdBy, by] = side === "inputs" ? [other!, own.id] : [own.id, other];
    const neverSpent = isUnspendable({ spentBy: by, transactionId: createdBy });
    const isSpent = by !== null && !neverSpent && by < end;
    if (isSpent && !spenders.has(by)) {
      const transactionHash = side === "inputs" ? own.hash : hash!;
      spenders.set(by, { transactionHash, height: heightOf(by), timestamp: time! });
    }
    return {
      token: tokens.get(tokenId)!,
      height: heightOf(createdBy),
      transactionHash: side === "inputs" ? hash! : own.hash,
      outputIndex,
      amount: amount ?? capacity,
      capacity,
      owner: { text: String(address) },
      isUnspendable: neverSpent,
      isSpent,
      spent: isSpent ? spenders.get(by)! : null,
    };
  });
}
