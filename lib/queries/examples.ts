import type { Query } from "#lib/store/query.ts";
import type { Tip } from "#lib/store/rows.ts";
import { all, type Bytes, statement, statementWith, toHex } from "#lib/store/statement.ts";

export interface Examples {
  addresses: { text: string; outputs: number }[];
  blocks: (Tip & { assetCount: number; transactionCount: number })[];
  /** Ids of the assets that were indexed first, the native one among them. */
  assets: string[];
  /** Hashes of the newest transactions. */
  transactions: string[];
}

/** Values worth trying for the parameters of paths; `""` if there is nothing to show. */
export const pathExamples = ({ addresses, blocks, assets, transactions: [hash = ""] }: Examples) => ({
  address: addresses[0]?.text ?? "",
  blockHash: blocks[0]?.hash ?? "",
  hash,
  id: assets[0] ?? "",
  outPoint: hash && `${hash}:0`,
});

/** Selects from the newest outputs only, so that its work does not grow with the chain. */
const RECENT_ADDRESSES = statement({
  sqlite:
    "SELECT DISTINCT address_id AS owner FROM (SELECT address_id FROM outputs ORDER BY transaction_id DESC LIMIT 5000)",
  postgres: `SELECT DISTINCT '0x' || encode(address_key, 'hex') AS owner
    FROM (SELECT address_key FROM outputs ORDER BY transaction_id DESC, output_index DESC LIMIT 5000) recent`,
});
const BUSIEST_ADDRESSES = statementWith(["owners", "limit"])(({ owner, isIn }) => {
  const { column, primaryKey, type } = owner;
  return `SELECT a.text, held.outputs
   FROM (SELECT ${column}, CAST(sum(output_count) AS bigint) AS outputs FROM holdings
         WHERE ${isIn(column, "$owners", type)} GROUP BY ${column}) held
   JOIN addresses a ON a.${primaryKey} = held.${column}
   WHERE held.outputs > 0 ORDER BY held.outputs DESC, a.text LIMIT CAST($limit AS bigint)`;
});
const BUSIEST_BLOCKS = statementWith(["limit"])(
  `SELECT height, hash, change_count AS "assetCount", transaction_count AS "transactionCount"
   FROM (SELECT height, hash, change_count, transaction_count FROM blocks ORDER BY height DESC LIMIT 5000) recent
   ORDER BY change_count DESC, transaction_count DESC, height DESC LIMIT CAST($limit AS bigint)`,
);

const FIRST_ASSETS = statementWith(["limit"])(
  "SELECT asset_id AS id FROM tokens ORDER BY tokens.id LIMIT CAST($limit AS bigint)",
);
const NEWEST_TRANSACTIONS = statementWith(["limit"])(
  (sql) =>
    `SELECT ${sql.hex("hash")} AS hash FROM transactions WHERE id >= 0 ORDER BY id DESC LIMIT CAST($limit AS bigint)`,
);

/** Recently active addresses with many live outputs, and recent blocks with many changes: the given number of each. */
export const dataExamples: Query<number, Examples> = {
  effort: "snapshot",
  *read(db, limit) {
    const recent = yield* all<{ owner: number | string }>(db, RECENT_ADDRESSES);
    const owners = JSON.stringify(recent.map(({ owner }) => owner));
    const busiest = BUSIEST_ADDRESSES({ owners, limit });
    const addresses = yield* all<Examples["addresses"][number]>(db, busiest);
    type Block = Omit<Examples["blocks"][number], "hash"> & { hash: Bytes };
    const blocks = yield* all<Block>(db, BUSIEST_BLOCKS({ limit }));
    const assets = yield* all<{ id: string }>(db, FIRST_ASSETS({ limit }));
    const transactions = yield* all<{ hash: string }>(db, NEWEST_TRANSACTIONS({ limit }));
    return {
      transactions: transactions.map(({ hash }) => hash),
      assets: assets.map(({ id }) => id),
      addresses: addresses.map(({ text, outputs }) => ({ text, outputs })),
      blocks: blocks.map((block) => ({ ...block, hash: toHex(block.hash) })),
    };
  },
};
