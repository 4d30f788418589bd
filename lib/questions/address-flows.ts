import { exhaustive } from "#lib/contract/exhaustive.ts";
import { blockHashAt, tip } from "#lib/store/common-queries.ts";
import type { Question, Reader } from "#lib/store/question.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, first, statement, toBytes } from "#lib/store/statement.ts";
import type { IndexTip, TokenRow } from "#lib/store/store.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import { tokensById } from "./tokens.ts";

/** Outputs of one asset that came to an address, or left it. */
export interface Flow {
  outputCount: number;
  /** Exact decimal digits, smallest unit. */
  amount: string;
}

export interface FlowQuery {
  addressKey: string;
  /** Only what blocks above this height did. */
  since: number;
  /** How many assets are listed. */
  limit: number;
  /** How many outputs may have been spent above `since`, whoever had them, since they all have to be looked at. */
  maxOutputs: number;
}

/** What came to an address and left it. An output that did both counts twice. */
export interface AddressFlows {
  tip: IndexTip | null;
  /** By asset, those with most outputs first; null if more than `maxOutputs` would have to be read. */
  flows: { token: TokenRow; came: Flow; left: Flow }[] | null;
  /** How many assets there are. */
  total: number;
  /** The lowest height that `since` may have now. */
  earliest: number;
}

/** Spent outputs that are looked at before others may run: some milliseconds of SQLite. */
const SLICE = 5_000;
/** How often reading starts again because a reorganisation came in between. */
const ATTEMPTS = 3;

const SPENT = {
  sqlite: "outputs INDEXED BY spent_outputs WHERE spent_transaction_id IS NOT NULL",
  postgres: "outputs WHERE spent_transaction_id IS NOT NULL",
};

/** Values: address, number of outputs. The transactions of the first outputs that would be too many. */
const BEYOND = statement(
  "flows-beyond",
  (sql) => `SELECT
     (SELECT spent_transaction_id FROM ${SPENT[sql.engine]}
      ORDER BY spent_transaction_id DESC LIMIT 1 OFFSET CAST($2 AS bigint)) AS spent,
     (SELECT transaction_id FROM live_outputs WHERE ${sql.ofAddress("$1")}
      ORDER BY transaction_id DESC LIMIT 1 OFFSET CAST($2 AS bigint)) AS live`,
);
/** Values: first id of the slice, outputs in it. The first id of the next slice. */
const NEXT_SLICE = statement(
  "flows-next-slice",
  (sql) => `SELECT spent_transaction_id AS id FROM ${SPENT[sql.engine]} AND spent_transaction_id >= $1
   ORDER BY spent_transaction_id LIMIT 1 OFFSET CAST($2 AS bigint)`,
);
/** Values: address, id from which on an output came, ids of the slice. */
const SPENT_IN = statement(
  "flows-spent",
  (sql) => `SELECT token_id, transaction_id >= CAST($2 AS bigint) AS came, count(*) AS outputs,
          ${sql.sum("coalesce(amount, capacity)")} AS amount
   FROM ${SPENT[sql.engine]} AND spent_transaction_id >= CAST($3 AS bigint) AND spent_transaction_id < CAST($4 AS bigint)
     AND ${sql.ofAddress("$1")} GROUP BY 1, 2`,
);
/** Values: address, id from which on an output came. */
const LIVE_FROM = statement(
  "flows-live",
  (sql) => `SELECT token_id, count(*) AS outputs, ${sql.sum("coalesce(amount, capacity)")} AS amount
   FROM live_outputs WHERE ${sql.ofAddress("$1")} AND transaction_id >= $2 GROUP BY 1`,
);

type Sum = { token_id: number; outputs: number; amount: string };

/**
 * Spent outputs are in order of the transactions that spend them, whoever had them. They are read in slices, up to the
 * tip of the beginning: blocks up to there do not change while that tip is on the chain.
 */
export const addressFlows: Question<FlowQuery, AddressFlows> = {
  effort: "snapshot",
  *read(db, { addressKey, since, limit, maxOutputs, ...rest }) {
    exhaustive(rest);
    const key = toBytes(addressKey);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const newest = yield* tip(db);
      const beyond = (yield* first<{ spent: number | null; live: number | null }>(
        db,
        BEYOND,
        key,
        maxOutputs,
      ))!;
      const earliest = heightOf(Math.max(beyond.spent ?? 0, beyond.live ?? 0));
      if (since < earliest) return { tip: newest, flows: null, total: 0, earliest };
      const flows = new Flows();
      const from = firstId(since + 1);
      const end = firstId((newest?.height ?? -1) + 1);
      for (const row of yield* all<Sum>(db, LIVE_FROM, key, from))
        flows.add(row, { came: true, left: false });
      for (const [lowest, next] of yield* slices(db, from, end)) {
        for (const row of yield* all<Sum & { came: boolean | number }>(
          db,
          SPENT_IN,
          key,
          from,
          lowest,
          next,
        )) {
          flows.add(row, { came: Boolean(row.came), left: true });
        }
        yield* done(db.giveWay());
      }
      if (newest !== null && (yield* blockHashAt(db, newest.height)) !== newest.hash) continue;
      const largest = flows.largest(limit);
      const tokens = yield* tokensById(
        db,
        largest.map(({ tokenId }) => tokenId),
      );
      const listed = largest.map(({ tokenId, came, left }) => ({ token: tokens.get(tokenId)!, came, left }));
      return { tip: newest, flows: listed, total: flows.total, earliest };
    }
    throw new Error(`${ATTEMPTS} reorganisations came while flows were read`);
  },
};

/** Where one slice of ids begins and the next one does; a server reads all of them together. */
function* slices(db: Reader, from: number, end: number): Steps<[from: number, next: number][]> {
  if (db.engine === "postgres") return [[from, end]];
  const found: [number, number][] = [];
  for (let at = from; at < end; ) {
    const next = yield* first<{ id: number }>(db, NEXT_SLICE, at, SLICE);
    const to = next && next.id < end ? Math.max(next.id, at + 1) : end;
    found.push([at, to]);
    at = to;
  }
  return found;
}

type OutputSum = { outputs: number; amount: bigint };

/** Sums by token. */
class Flows {
  readonly #byToken = new Map<number, { came: OutputSum; left: OutputSum }>();

  /** Outputs of one token that came, left, or did both. */
  add({ token_id, outputs, amount }: Sum, { came, left }: { came: boolean; left: boolean }): void {
    let sums = this.#byToken.get(token_id);
    if (!sums) {
      sums = { came: { outputs: 0, amount: 0n }, left: { outputs: 0, amount: 0n } };
      this.#byToken.set(token_id, sums);
    }
    for (const sum of [came && sums.came, left && sums.left]) {
      if (!sum) continue;
      sum.outputs += outputs;
      sum.amount += BigInt(amount);
    }
  }

  get total(): number {
    return this.#byToken.size;
  }

  /** The tokens with most outputs first. */
  largest(limit: number): { tokenId: number; came: Flow; left: Flow }[] {
    return [...this.#byToken]
      .map(([tokenId, { came, left }]) => ({ tokenId, came: flowOf(came), left: flowOf(left) }))
      .sort((one, other) => outputsOf(other) - outputsOf(one) || one.tokenId - other.tokenId)
      .slice(0, limit);
  }
}

const flowOf = ({ outputs, amount }: OutputSum): Flow => ({
  outputCount: outputs,
  amount: amount.toString(),
});
const outputsOf = ({ came, left }: { came: Flow; left: Flow }) => came.outputCount + left.outputCount;
