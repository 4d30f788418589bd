import { serverIsBusy } from "#lib/contract/errors.ts";
import type { BlockFacts, OutPoint } from "#lib/contract/ledger.ts";
import { blockHashAt } from "#lib/store/common-queries.ts";
import { transactionIds } from "#lib/store/outputs.ts";
import type { Query } from "#lib/store/query.ts";
import type { Tip } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, type Bytes, type Reading, statementWith, toHex } from "#lib/store/statement.ts";

/** `$places`: JSON array of pairs of a transaction's id and an output's index in it. */
const KINDS_AT = statementWith(["places"])({
  sqlite: `SELECT o.transaction_id, o.output_index, o.kind, CAST(o.capacity AS TEXT) AS capacity
    FROM json_each($places) wanted
    JOIN outputs o ON o.transaction_id = wanted.value ->> 0 AND o.output_index = wanted.value ->> 1`,
  postgres: `SELECT o.transaction_id, o.output_index, o.kind, o.capacity::text AS capacity
    FROM json_array_elements($places::json) wanted
    JOIN outputs o ON o.transaction_id = (wanted ->> 0)::bigint AND o.output_index = (wanted ->> 1)::bigint`,
});

export interface KindPlace {
  transaction_id: number;
  output_index: number;
}

export interface KindColumns extends KindPlace {
  kind: string;
  capacity: string;
}

/** The kinds of these outputs, in any order, without those that are not stored. */
export const kindsAt = (db: Reading, places: readonly KindPlace[]): Steps<KindColumns[]> => {
  const pairs = places.map(({ transaction_id, output_index }) => [transaction_id, output_index]);
  return all<KindColumns>(db, KINDS_AT({ places: JSON.stringify(pairs) }));
};

/** `Output.kind` of each of these outputs, in order; null for one that is not stored. */
export const outputKinds: Query<readonly OutPoint[], (string | null)[]> = {
  effort: "snapshot",
  *read(db, outPoints) {
    if (outPoints.length === 0) return [];
    const hashes = [...new Set(outPoints.map(({ transactionHash }) => transactionHash))];
    const ids = yield* transactionIds(db, hashes);
    const places = outPoints.flatMap(({ transactionHash, outputIndex }): KindPlace[] => {
      const id = ids.get(transactionHash);
      return id === undefined ? [] : [{ transaction_id: id, output_index: outputIndex }];
    });
    const rows = yield* kindsAt(db, places);
    const kinds = new Map(rows.map((row) => [`${row.transaction_id} ${row.output_index}`, row.kind]));
    return outPoints.map(
      ({ transactionHash, outputIndex }) => kinds.get(`${ids.get(transactionHash)} ${outputIndex}`) ?? null,
    );
  },
};

const BLOCK_FACTS = statementWith(["heights"])(
  (sql) =>
    `SELECT height, timestamp, header_facts AS "headerFacts" FROM blocks WHERE ${sql.isIn("height", "$heights", "bigint")}`,
);

/** Facts about the blocks at these heights that are stored. */
export function* factsAt(db: Reading, heights: readonly number[]): Steps<BlockFacts[]> {
  type Columns = Omit<BlockFacts, "headerFacts"> & { headerFacts: Bytes };
  const rows = yield* all<Columns>(db, BLOCK_FACTS({ heights: JSON.stringify(heights) }));
  return rows.map((row) => ({ ...row, headerFacts: toHex(row.headerFacts) }));
}

/** Facts about blocks below the block of an earlier response. Throws SERVICE_UNAVAILABLE if that block is no longer canonical. */
export const blockFacts: Query<{ heights: readonly number[]; asOf: Tip }, BlockFacts[]> = {
  effort: "snapshot",
  *read(db, { heights, asOf }) {
    if ((yield* blockHashAt(db, asOf.height)) !== asOf.hash) throw serverIsBusy();
    return yield* factsAt(db, heights);
  },
};
