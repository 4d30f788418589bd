import type { RegistryEntry } from "#lib/contract/registry.ts";
import { gapFaults } from "#lib/store/common-queries.ts";
import { runInTurn } from "#lib/store/rules/steps.ts";
import { statement } from "#lib/store/statement.ts";
import type { AuditedToken, StoredBlock } from "#lib/store/store.ts";
import { firstId, indexOf } from "#lib/store/transaction-id.ts";
import type { Session } from "./connection.ts";
import { numberArray, toBytea } from "./encoding.ts";
import { OUTPUT_COLUMNS, type OutputColumns, toOutputs } from "./outputs.ts";
import { TOKEN_COLUMNS, type TokenColumns, toTokenRow } from "./reads.ts";

const BLOCK_AT = statement("block-at", "SELECT hash, parent_hash, timestamp FROM blocks WHERE height = $1");
const TRANSACTIONS_OF = statement(
  "transactions-of-block",
  "SELECT hash FROM transactions WHERE id >= $1 AND id < $2 ORDER BY id",
);
const CREATED_BY = statement(
  "created-by-block",
  `SELECT ${OUTPUT_COLUMNS} FROM outputs o
   WHERE o.transaction_id >= $1 AND o.transaction_id < $2 ORDER BY o.transaction_id, o.output_index`,
);
const SPENT_BY = statement(
  "spent-by-block",
  `SELECT ${OUTPUT_COLUMNS} FROM outputs o
   WHERE o.spent_transaction_id >= $1 AND o.spent_transaction_id < $2
   ORDER BY o.spent_transaction_id, o.spent_input_index`,
);
const CREATORS = statement("creators", "SELECT id, hash FROM transactions WHERE id = ANY ($1::bigint[])");
const CLAIMS_OF = statement(
  "claims-of-block",
  `SELECT transaction_id, asset_id, output_index, name, symbol, decimals FROM claims
   WHERE transaction_id >= $1 AND transaction_id < $2 ORDER BY transaction_id, output_index, asset_id`,
);
const CHANGES_OF = statement(
  "changes-of-block",
  `SELECT t.asset_id, c.amount, c.amount_usd, t.decimals,
     (SELECT p.usd FROM prices p WHERE p.asset_id = t.asset_id AND p.time <= $2 ORDER BY p.time DESC LIMIT 1) AS price
   FROM asset_changes c JOIN tokens t ON t.id = c.token_id WHERE c.block_hash = $1 ORDER BY c.ordinal`,
);

export async function readStoredBlock(session: Session, height: number): Promise<StoredBlock> {
  const block = await session.get<{ hash: string; parent_hash: string; timestamp: number }>(BLOCK_AT, height);
  if (!block) throw new Error(`No block is stored at height ${height}`);
  const range = [firstId(height), firstId(height + 1)];
  const transactions: StoredBlock["transactions"] = (
    await session.all<{ hash: string }>(TRANSACTIONS_OF, ...range)
  ).map(({ hash }) => ({ hash, inputs: [], outputs: [], claims: [] }));
  const created = await session.all<OutputColumns>(CREATED_BY, ...range);
  const spent = await session.all<OutputColumns>(SPENT_BY, ...range);
  const outputs = await toOutputs(session, [...created, ...spent]);
  for (const [i, row] of created.entries()) {
    transactions[indexOf(row.transaction_id)]?.outputs.push({
      output: outputs[i]!,
      spent: row.spent_transaction_id !== null,
    });
  }
  const creators = new Map<number, string>();
  if (spent.length > 0) {
    const ids = numberArray([...new Set(spent.map((row) => row.transaction_id))]);
    for (const { id, hash } of await session.all<{ id: number; hash: string }>(CREATORS, ids)) {
      creators.set(id, hash);
    }
  }
  for (const [i, row] of spent.entries()) {
    transactions[indexOf(row.spent_transaction_id!)]?.inputs.push({
      output: outputs[created.length + i]!,
      outPoint: { transactionHash: creators.get(row.transaction_id) ?? "", outputIndex: row.output_index },
      created: row.transaction_id >= 0,
    });
  }
  const claims = await session.all<{
    transaction_id: number;
    asset_id: string;
    output_index: number;
    name: string;
    symbol: string;
    decimals: number | null;
  }>(CLAIMS_OF, ...range);
  for (const { transaction_id, asset_id, output_index, name, symbol, decimals } of claims) {
    const claim = { assetId: asset_id, outputIndex: output_index, name, symbol, decimals };
    transactions[indexOf(transaction_id)]?.claims.push(claim);
  }
  const changes = await session.all<{
    asset_id: string;
    amount: string;
    amount_usd: string;
    decimals: number;
    price: string | null;
  }>(CHANGES_OF, toBytea(block.hash), block.timestamp);
  return {
    height,
    hash: block.hash,
    parentHash: block.parent_hash,
    timestamp: block.timestamp,
    transactions,
    changes: changes.map((row) => ({
      assetId: row.asset_id,
      amount: BigInt(row.amount),
      amountUsd: BigInt(row.amount_usd),
      decimals: row.decimals,
      price: row.price === null ? null : BigInt(row.price),
    })),
  };
}

const STORED_TOKENS = statement(
  "stored-tokens",
  `SELECT ${TOKEN_COLUMNS}, t.standard, t.content_type, t.tags, t.name_folded,
     (SELECT entry FROM registry r WHERE r.asset_id = t.asset_id) AS entry,
     EXISTS (SELECT 1 FROM icons i WHERE i.asset_id = t.asset_id) AS pictured
   FROM tokens t WHERE t.asset_id > $1 ORDER BY t.asset_id LIMIT CAST($2 AS bigint)`,
);

type StoredTokenColumns = TokenColumns & {
  standard: string;
  content_type: string;
  tags: string[];
  name_folded: string;
  entry: string | null;
  pictured: boolean;
};

export async function readStoredTokens(
  session: Session,
  after = "",
  limit: number | null = null,
): Promise<AuditedToken[]> {
  const rows = await session.all<StoredTokenColumns>(STORED_TOKENS, after, limit);
  return rows.map((row) => ({
    ...toTokenRow(row),
    standard: row.standard,
    contentType: row.content_type,
    tags: row.tags,
    foldedName: row.name_folded,
    entry: row.entry === null ? null : (JSON.parse(row.entry) as RegistryEntry),
    hasPicture: row.pictured,
  }));
}

/**
 * What is in the first table and not in the second, as the number of rows without the number of those that fit: Citus
 * joins tables that are distributed by different columns (it moves rows between its nodes for that), but knows no
 * `NOT EXISTS` between them. A row that fits twice would hide another, but that is a fault of its own.
 */
const missing = (from: string, condition: string, join: string) =>
  `SELECT greatest(0, (SELECT count(*) FROM ${from} WHERE ${condition})
     - (SELECT count(*) FROM ${from} JOIN ${join} WHERE ${condition})) AS n`;

/** Each counts rows that must not be there. */
const COUNTS: [string, string][] = [
  [
    "outputs without a transaction",
    missing("outputs o", "true", "transactions x ON x.id = o.transaction_id"),
  ],
  ["outputs without an address", missing("outputs o", "true", "addresses a ON a.key = o.address_key")],
  ["outputs without a token", missing("outputs o", "true", "tokens t ON t.id = o.token_id")],
  ["transactions that share an id", "SELECT count(*) - count(DISTINCT id) AS n FROM transactions"],
  [
    "transactions outside the indexed blocks of which nothing is spent",
    `SELECT greatest(0, (SELECT count(*) FROM transactions WHERE id < 0)
       - (SELECT count(DISTINCT transaction_id) FROM outputs WHERE transaction_id < 0)) AS n`,
  ],
  [
    "outputs spent by a transaction that is not stored",
    missing(
      "outputs o",
      "o.spent_transaction_id IS NOT NULL",
      "transactions x ON x.id = o.spent_transaction_id",
    ),
  ],
  [
    "unspent outputs that are not among the live ones as they are",
    missing(
      "outputs o",
      "o.spent_transaction_id IS NULL",
      `live_outputs l ON l.address_key = o.address_key AND l.transaction_id = o.transaction_id
         AND l.output_index = o.output_index AND l.token_id = o.token_id
         AND l.amount IS NOT DISTINCT FROM o.amount AND l.capacity = o.capacity`,
    ),
  ],
  [
    "live outputs with the hash of another transaction",
    missing(
      "live_outputs l",
      "true",
      "transactions x ON x.hash = l.transaction_hash AND x.id = l.transaction_id",
    ),
  ],
  [
    "live outputs more than unspent ones",
    `SELECT greatest(0, (SELECT count(*) FROM live_outputs)
       - (SELECT count(*) FROM outputs WHERE spent_transaction_id IS NULL)) AS n`,
  ],
  [
    "live outputs whose block is not stored",
    `SELECT count(*) AS n FROM live_outputs l
     WHERE NOT EXISTS (SELECT 1 FROM blocks b WHERE b.height = l.transaction_id >> 20)`,
  ],
  [
    "blocks whose change count is wrong",
    `SELECT (SELECT count(*)
             FROM (SELECT block_hash, count(*) AS changes FROM asset_changes GROUP BY block_hash) c
             LEFT JOIN blocks b ON b.hash = c.block_hash
             WHERE b.change_count IS DISTINCT FROM c.changes)
       + (SELECT count(*) FROM blocks WHERE change_count > 0)
       - (SELECT count(DISTINCT c.block_hash) FROM asset_changes c JOIN blocks b ON b.hash = c.block_hash
          WHERE b.change_count > 0) AS n`,
  ],
  [
    "blocks whose transaction count is wrong",
    `SELECT count(*) AS n FROM blocks b
     LEFT JOIN (SELECT id >> 20 AS height, count(*) AS transactions FROM transactions WHERE id >= 0 GROUP BY 1) x
       ON x.height = b.height
     WHERE b.transaction_count <> coalesce(x.transactions, 0)`,
  ],
];

const WRONG_HOLDINGS = statement(
  "wrong-holdings",
  `SELECT address_key, token_id
   FROM (SELECT address_key, token_id, count(*) AS output_count, sum(coalesce(amount, capacity)) AS amount,
                sum(capacity) AS capacity
         FROM live_outputs GROUP BY address_key, token_id) summed
   FULL JOIN holdings h USING (address_key, token_id)
   WHERE summed.output_count IS DISTINCT FROM h.output_count OR summed.amount IS DISTINCT FROM h.amount
      OR summed.capacity IS DISTINCT FROM h.capacity
   ORDER BY address_key, token_id`,
);

/** What only this engine can see: dangling references, tables that repeat another, sums kept beside the outputs. */
export async function checkIntegrity(session: Session): Promise<string[]> {
  const faults: string[] = [];
  for (const [i, [what, sql]] of COUNTS.entries()) {
    const { n } = (await session.get<{ n: number }>(statement(`check-${i}`, sql)))!;
    if (n > 0) faults.push(`${n} ${what}`);
  }
  faults.push(...(await runInTurn(gapFaults(session))));
  for (const row of await session.all<{ address_key: string; token_id: number }>(WRONG_HOLDINGS)) {
    faults.push(
      `The holding of token ${row.token_id} by address ${row.address_key} is not the sum of its live outputs`,
    );
  }
  return faults;
}
