import { PLAIN_OUTPUT } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import {
  type Check,
  integrityFaults,
  MAX_WRONG_HOLDINGS,
  missing,
  wrongHolding,
  wrongKindsOf,
} from "#lib/store/common-checks.ts";
import { runInTurn } from "#lib/store/rules/steps.ts";
import { statement } from "#lib/store/statement.ts";
import type { StoredBlock, StoredToken } from "#lib/store/store.ts";
import { firstId, indexOf } from "#lib/store/transaction-id.ts";
import { numberArray, toBytea } from "./encoding.ts";
import { OUTPUT_COLUMNS, type OutputColumns, toOutputs } from "./outputs.ts";
import { TOKEN_COLUMNS, type TokenColumns, toTokenRow } from "./reads.ts";
import type { Session } from "./session.ts";

const BLOCK_AT = statement(
  "block-at",
  `SELECT hash, parent_hash, timestamp, header_facts, transaction_count, change_count
   FROM blocks WHERE height = $1`,
);
const TRANSACTIONS_OF = statement(
  "transactions-of-block",
  "SELECT id, hash FROM transactions WHERE id >= $1 AND id < $2 ORDER BY id",
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
  `SELECT c.ordinal, t.asset_id, c.amount, c.amount_usd, t.decimals, t.first_height,
     (SELECT p.usd FROM prices p WHERE p.asset_id = t.asset_id AND p.time <= $2 ORDER BY p.time DESC LIMIT 1) AS price
   FROM asset_changes c JOIN tokens t ON t.id = c.token_id WHERE c.block_hash = $1 ORDER BY c.ordinal`,
);

export async function readStoredBlock(session: Session, height: number): Promise<StoredBlock> {
  const block = await session.get<{
    hash: string;
    parent_hash: string;
    timestamp: number;
    header_facts: string | null;
    transaction_count: number;
    change_count: number;
  }>(BLOCK_AT, height);
  if (!block) throw new Error(`No block is stored at height ${height}`);
  const range = [firstId(height), firstId(height + 1)];
  const transactions = new Map(
    (await session.all<{ id: number; hash: string }>(TRANSACTIONS_OF, ...range)).map(
      ({ id, hash }): [number, StoredBlock["transactions"][number]] => [
        id,
        { index: indexOf(id), hash, inputs: [], outputs: [], claims: [] },
      ],
    ),
  );
  const created = await session.all<OutputColumns>(CREATED_BY, ...range);
  const spent = await session.all<OutputColumns>(SPENT_BY, ...range);
  const outputs = await toOutputs(session, [...created, ...spent]);
  for (const [i, row] of created.entries()) {
    transactions.get(row.transaction_id)?.outputs.push({
      index: row.output_index,
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
    transactions.get(row.spent_transaction_id!)?.inputs.push({
      index: row.spent_input_index!,
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
    transactions.get(transaction_id)?.claims.push(claim);
  }
  const changes = await session.all<{
    ordinal: number;
    asset_id: string;
    amount: string;
    amount_usd: string;
    decimals: number;
    first_height: number | null;
    price: string | null;
  }>(CHANGES_OF, toBytea(block.hash), block.timestamp);
  return {
    height,
    hash: block.hash,
    parentHash: block.parent_hash,
    timestamp: block.timestamp,
    headerFacts: block.header_facts,
    transactionCount: block.transaction_count,
    changeCount: block.change_count,
    transactions: [...transactions.values()],
    changes: changes.map((row) => ({
      index: row.ordinal,
      assetId: row.asset_id,
      amount: BigInt(row.amount),
      amountUsd: BigInt(row.amount_usd),
      decimals: row.decimals,
      firstHeight: row.first_height,
      price: row.price === null ? null : BigInt(row.price),
    })),
  };
}

const STORED_TOKENS = statement(
  "stored-tokens",
  `SELECT ${TOKEN_COLUMNS}, t.fungible, t.content_type, t.chain_parent_id, t.first_height, t.first_mint_height, t.tags,
     t.name_folded,
     (SELECT entry FROM registry r WHERE r.asset_id = t.asset_id) AS entry,
     EXISTS (SELECT 1 FROM icons i WHERE i.asset_id = t.asset_id) AS pictured
   FROM tokens t WHERE t.asset_id > $1 ORDER BY t.asset_id LIMIT CAST($2 AS bigint)`,
);

type StoredTokenColumns = TokenColumns & {
  fungible: boolean;
  content_type: string;
  chain_parent_id: string;
  first_height: number | null;
  first_mint_height: number | null;
  tags: string[];
  name_folded: string;
  entry: string | null;
  pictured: boolean;
};

export async function readStoredTokens(
  session: Session,
  after = "",
  limit: number | null = null,
): Promise<StoredToken[]> {
  const rows = await session.all<StoredTokenColumns>(STORED_TOKENS, after, limit);
  return rows.map((row) => ({
    ...toTokenRow(row),
    fungible: row.fungible,
    contentType: row.content_type,
    chainParentId: row.chain_parent_id,
    firstHeight: row.first_height,
    firstMintHeight: row.first_mint_height,
    tags: row.tags,
    foldedName: row.name_folded,
    entry: row.entry === null ? null : (JSON.parse(row.entry) as RegistryEntry),
    hasPicture: row.pictured,
  }));
}

/** A value without decimals, which neither `NaN` nor an infinity has. */
const isAmount = (value: string): string => `${value} >= 0 AND coalesce(scale(${value}) = 0, false)`;

const CHECKS: readonly Check[] = [
  ["outputs without an address", missing("outputs o", "addresses a ON a.key = o.address_key")],
  ["transactions that share an id", "SELECT count(*) - count(DISTINCT id) AS n FROM transactions"],
  [
    "unspent outputs that are not among the live ones as they are",
    missing(
      "outputs o",
      `live_outputs l ON l.address_key = o.address_key AND l.transaction_id = o.transaction_id
         AND l.output_index = o.output_index AND l.token_id = o.token_id
         AND l.amount IS NOT DISTINCT FROM o.amount AND l.capacity = o.capacity`,
      "o.spent_transaction_id IS NULL",
    ),
  ],
  [
    "live outputs with the hash of another transaction",
    missing("live_outputs l", "transactions x ON x.hash = l.transaction_hash AND x.id = l.transaction_id"),
  ],
  [
    "live outputs more than unspent ones",
    `SELECT (SELECT count(*) FROM live_outputs)
       - (SELECT count(*) FROM outputs WHERE spent_transaction_id IS NULL) AS n`,
  ],
  [
    "asset changes whose block is not stored",
    missing("asset_changes c", "blocks b ON b.hash = c.block_hash AND b.height = c.height"),
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
   ORDER BY address_key, token_id LIMIT ${MAX_WRONG_HOLDINGS}`,
);

const WRONG_KINDS = statement(
  "wrong-kinds",
  `SELECT address_key
   FROM (
     SELECT address_key, split_part(coalesce(kind, ''), '@', 1) AS kind, count(*) AS output_count,
            sum(capacity) AS capacity
     FROM outputs WHERE spent_transaction_id IS NULL AND amount IS NULL AND kind IS DISTINCT FROM '${PLAIN_OUTPUT}'
     GROUP BY 1, 2
     UNION ALL
     SELECT address_key, kind, -output_count, -capacity FROM kinds
   ) compared
   GROUP BY address_key, kind
   HAVING count(*) <> 2 OR sum(output_count) <> 0 OR sum(capacity) <> 0
   ORDER BY address_key LIMIT ${MAX_WRONG_HOLDINGS}`,
);

/** What only this engine can see: dangling references, tables that repeat another, sums kept beside the outputs. */
export async function checkIntegrity(session: Session): Promise<string[]> {
  const faults = await runInTurn(integrityFaults(session, isAmount, CHECKS));
  const wrong = await session.all<{ address_key: string; token_id: number }>(WRONG_HOLDINGS);
  const kinds = await session.all<{ address_key: string }>(WRONG_KINDS);
  return [
    ...faults,
    ...wrong.map(({ token_id, address_key }) => wrongHolding(token_id, address_key)),
    ...kinds.map(({ address_key }) => wrongKindsOf(address_key)),
  ];
}
