import { kindWord, type Output, PLAIN_OUTPUT } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import {
  type Check,
  integrityFaults,
  MAX_WRONG_HOLDINGS,
  missing,
  wrongHolding,
  wrongKindsOf,
} from "#lib/store/common-checks.ts";
import { runAtOnce } from "#lib/store/rules/steps.ts";
import type { StoredBlock, StoredToken } from "#lib/store/store.ts";
import { idRange, indexOf } from "#lib/store/transaction-id.ts";
import type { Database } from "./database.ts";
import { fromBlob } from "./encoding.ts";
import { readBlockFacts, readToken } from "./reads.ts";

const OUTPUT_COLUMNS = `
  o.transaction_id, o.output_index, o.spent_transaction_id, o.spent_input_index, a.key, a.text, t.asset_id, t.standard, t.fungible,
  t.content_type, t.chain_parent_id, CAST(o.amount AS TEXT) AS amount, CAST(o.capacity AS TEXT) AS capacity, o.kind, x.hash`;
const OUTPUT_JOINS = `
  JOIN transactions x ON x.id = o.transaction_id
  JOIN addresses a ON a.id = o.address_id JOIN tokens t ON t.id = o.token_id`;

type OutputRow = {
  transaction_id: number;
  output_index: number;
  spent_transaction_id: number | null;
  spent_input_index: number | null;
  key: Uint8Array;
  text: string;
  asset_id: string;
  standard: string;
  fungible: number;
  content_type: string;
  chain_parent_id: string;
  amount: string | null;
  capacity: string;
  kind: string | null;
  hash: Uint8Array;
};

type BlockRow = {
  hash: Uint8Array;
  parent_hash: Uint8Array;
  transaction_count: number;
  change_count: number;
};

type ClaimRow = {
  transaction_id: number;
  asset_id: string;
  output_index: number;
  name: string;
  symbol: string;
  decimals: number | null;
};

type ChangeRow = {
  ordinal: number;
  asset_id: string;
  amount: string;
  usd: string;
  decimals: number;
  first_height: number | null;
  price: string | null;
};

function toOutput(row: OutputRow): Output {
  const native = row.amount === null;
  return {
    address: { key: fromBlob(row.key), text: row.text },
    token: native
      ? null
      : {
          id: row.asset_id,
          standard: row.standard,
          fungible: row.fungible === 1,
          parentId: row.chain_parent_id,
          contentType: row.content_type,
        },
    amount: BigInt(row.amount ?? row.capacity),
    capacity: BigInt(row.capacity),
    kind: row.kind,
  };
}

export function readStoredBlock(db: Database, height: number): StoredBlock {
  return db.snapshot(() => {
    const block = db.get<BlockRow>(
      "SELECT hash, parent_hash, transaction_count, change_count FROM blocks WHERE height = ?",
      height,
    );
    if (!block) throw new Error(`No block is stored at height ${height}`);
    const [facts] = readBlockFacts(db, [height]);
    const range = idRange(height);
    const transactions = new Map(
      db
        .all<{ id: number; hash: Uint8Array }>(
          "SELECT id, hash FROM transactions WHERE id >= ? AND id < ? ORDER BY id",
          ...range,
        )
        .map(({ id, hash }): [number, StoredBlock["transactions"][number]] => [
          id,
          { index: indexOf(id), hash: fromBlob(hash), inputs: [], outputs: [], claims: [] },
        ]),
    );
    const created = db.all<OutputRow>(
      `SELECT ${OUTPUT_COLUMNS} FROM outputs o ${OUTPUT_JOINS}
       WHERE o.transaction_id >= ? AND o.transaction_id < ? ORDER BY o.transaction_id, o.output_index`,
      ...range,
    );
    for (const row of created) {
      transactions.get(row.transaction_id)?.outputs.push({
        index: row.output_index,
        output: toOutput(row),
        spent: row.spent_transaction_id !== null,
      });
    }
    const spent = db.all<OutputRow>(
      `SELECT ${OUTPUT_COLUMNS} FROM outputs o ${OUTPUT_JOINS}
       WHERE o.spent_transaction_id >= ? AND o.spent_transaction_id < ?
       ORDER BY o.spent_transaction_id, o.spent_input_index`,
      ...range,
    );
    for (const row of spent) {
      transactions.get(row.spent_transaction_id!)?.inputs.push({
        index: row.spent_input_index!,
        output: toOutput(row),
        outPoint: { transactionHash: fromBlob(row.hash), outputIndex: row.output_index },
        created: row.transaction_id >= 0,
      });
    }
    const claims = db.all<ClaimRow>(
      `SELECT transaction_id, asset_id, output_index, name, symbol, decimals FROM claims
       WHERE transaction_id >= ? AND transaction_id < ? ORDER BY transaction_id, output_index, asset_id`,
      ...range,
    );
    for (const { transaction_id, asset_id, output_index, name, symbol, decimals } of claims) {
      const claim = { assetId: asset_id, outputIndex: output_index, name, symbol, decimals };
      transactions.get(transaction_id)?.claims.push(claim);
    }
    const changes = db
      .all<ChangeRow>(
        `SELECT c.ordinal, t.asset_id, CAST(c.amount AS TEXT) AS amount, CAST(c.amount_usd AS TEXT) AS usd,
           t.decimals, t.first_height,
           (SELECT p.usd FROM prices p WHERE p.asset_id = t.asset_id AND p.time <= ? ORDER BY p.time DESC LIMIT 1) AS price
         FROM asset_changes c JOIN tokens t ON t.id = c.token_id WHERE c.height = ? ORDER BY c.ordinal`,
        facts!.timestamp,
        height,
      )
      .map((row) => ({
        index: row.ordinal,
        assetId: row.asset_id,
        amount: BigInt(row.amount),
        amountUsd: BigInt(row.usd),
        decimals: row.decimals,
        firstHeight: row.first_height,
        price: row.price === null ? null : BigInt(row.price),
      }));
    return {
      ...facts!,
      hash: fromBlob(block.hash),
      parentHash: fromBlob(block.parent_hash),
      transactionCount: block.transaction_count,
      changeCount: block.change_count,
      transactions: [...transactions.values()],
      changes,
    };
  });
}

export function readStoredTokens(db: Database, after = "", limit = -1): StoredToken[] {
  return db.snapshot(() =>
    db
      .all<{
        id: number;
        fungible: number;
        content_type: string;
        chain_parent_id: string;
        first_height: number | null;
        first_mint_height: number | null;
        tags: string;
        name_folded: string;
        entry: string | null;
        pictured: number;
      }>(
        `SELECT id, fungible, content_type, chain_parent_id, first_height, first_mint_height, tags, name_folded,
           (SELECT entry FROM registry r WHERE r.asset_id = t.asset_id) AS entry,
           EXISTS (SELECT 1 FROM icons i WHERE i.asset_id = t.asset_id) AS pictured
         FROM tokens t WHERE asset_id > ? ORDER BY asset_id LIMIT ?`,
        after,
        limit,
      )
      .map((row) => ({
        ...readToken(db, row.id),
        fungible: row.fungible === 1,
        contentType: row.content_type,
        chainParentId: row.chain_parent_id,
        firstHeight: row.first_height,
        firstMintHeight: row.first_mint_height,
        tags: JSON.parse(row.tags) as string[],
        foldedName: row.name_folded,
        entry: row.entry === null ? null : (JSON.parse(row.entry) as RegistryEntry),
        hasPicture: row.pictured === 1,
      })),
  );
}

/** Whether the value is one that `toAny` writes. */
const isAmount = (value: string): string =>
  `typeof(${value}) = 'integer' AND ${value} >= 0
   OR typeof(${value}) = 'text' AND ${value} NOT GLOB '*[^0-9]*' AND ${value} NOT GLOB '0*'
      AND (length(${value}) > 19 OR length(${value}) = 19 AND ${value} > '9223372036854775807')`;

const CHECKS: readonly Check[] = [
  ["outputs without an address", missing("outputs o", "addresses a ON a.id = o.address_id")],
  ["asset changes whose block is not stored", missing("asset_changes c", "blocks b ON b.height = c.height")],
  [
    "holdings without a live output",
    `SELECT count(*) AS n FROM holdings h
     WHERE NOT EXISTS (SELECT 1 FROM outputs o
       WHERE o.address_id = h.address_id AND o.token_id = h.token_id AND o.spent_transaction_id IS NULL)`,
  ],
  [
    "sums by kind without a live output",
    `SELECT count(*) AS n FROM kinds k
     WHERE NOT EXISTS (SELECT 1 FROM outputs o
       WHERE o.address_id = k.address_id AND o.spent_transaction_id IS NULL AND o.amount IS NULL
         AND o.kind IS NOT '${PLAIN_OUTPUT}')`,
  ],
  [
    "tokens of which it is not clear whether they are fungible or public",
    "SELECT count(*) AS n FROM tokens WHERE fungible NOT IN (0, 1) OR public NOT IN (0, 1)",
  ],
];

/** What only this engine can see: pages and indexes, dangling references, sums kept beside the outputs. */
export function checkIntegrity(db: Database): string[] {
  return db.snapshot(() => {
    const faults: string[] = [];
    for (const row of db.all<{ integrity_check: string }>("PRAGMA integrity_check")) {
      if (row.integrity_check !== "ok") faults.push(`SQLite: ${row.integrity_check}`);
    }
    faults.push(...runAtOnce(integrityFaults(db.shared, isAmount, CHECKS)));
    return [...faults, ...wrongHoldings(db), ...wrongKinds(db)];
  });
}

interface Sum {
  address_id: number;
  token_id: number;
  count: number;
  amount: bigint;
  capacity: bigint;
}

/** Sums the live outputs, in one pass over the index that the pages read. Skips amounts that are not whole numbers. */
function* liveSums(db: Database): Generator<Sum> {
  const rows = db.iterate<{ address_id: number; token_id: number; amount: string; capacity: string }>(
    `SELECT address_id, token_id, CAST(coalesce(amount, capacity) AS TEXT) AS amount, CAST(capacity AS TEXT) AS capacity
     FROM outputs INDEXED BY live_outputs_by_token
     WHERE spent_transaction_id IS NULL AND (amount IS NULL OR ${isAmount("amount")}) AND (${isAmount("capacity")})
     ORDER BY address_id, token_id`,
  );
  let sum: Sum | undefined;
  for (const { address_id, token_id, amount, capacity } of rows) {
    if (sum?.address_id !== address_id || sum.token_id !== token_id) {
      if (sum) yield sum;
      sum = { address_id, token_id, count: 0, amount: 0n, capacity: 0n };
    }
    sum.count += 1;
    sum.amount += BigInt(amount);
    sum.capacity += BigInt(capacity);
  }
  if (sum) yield sum;
}

/** Holdings that are not the sums of their live outputs. */
function wrongHoldings(db: Database): string[] {
  const wrong: string[] = [];
  for (const { address_id, token_id, count, amount, capacity } of liveSums(db)) {
    const held = db.get<{ output_count: number; amount: string; capacity: string }>(
      `SELECT output_count, CAST(amount AS TEXT) AS amount, CAST(capacity AS TEXT) AS capacity
       FROM holdings WHERE address_id = ? AND token_id = ?`,
      address_id,
      token_id,
    );
    const isSum =
      held?.output_count === count &&
      held.amount === amount.toString() &&
      held.capacity === capacity.toString();
    if (!isSum) wrong.push(wrongHolding(token_id, address_id));
    if (wrong.length === MAX_WRONG_HOLDINGS) break;
  }
  return wrong;
}

/** Addresses whose sums by kind are not those of their live outputs that are neither plain nor hold a token. */
function wrongKinds(db: Database): string[] {
  const wrong: string[] = [];
  let addressId = -1;
  const sums = new Map<string, { count: number; capacity: bigint }>();
  /** Compares what was added up of one address. */
  const close = () => {
    const stored = db.all<{ kind: string; count: number; capacity: string }>(
      "SELECT kind, output_count AS count, CAST(capacity AS TEXT) AS capacity FROM kinds WHERE address_id = ?",
      addressId,
    );
    const same =
      stored.length === sums.size &&
      stored.every(({ kind, count, capacity }) => {
        const sum = sums.get(kind);
        return sum?.count === count && sum.capacity.toString() === capacity;
      });
    if (!same) wrong.push(wrongKindsOf(addressId));
    sums.clear();
  };
  const rows = db.iterate<{ address_id: number; kind: string | null; capacity: string }>(
    `SELECT address_id, kind, CAST(capacity AS TEXT) AS capacity FROM outputs INDEXED BY live_outputs
     WHERE spent_transaction_id IS NULL AND amount IS NULL AND kind IS NOT '${PLAIN_OUTPUT}' AND (${isAmount("capacity")})
     ORDER BY address_id`,
  );
  for (const { address_id, kind, capacity } of rows) {
    if (address_id !== addressId && sums.size > 0) close();
    if (wrong.length === MAX_WRONG_HOLDINGS) return wrong;
    addressId = address_id;
    const word = kindWord(kind);
    const sum = sums.get(word) ?? { count: 0, capacity: 0n };
    sums.set(word, { count: sum.count + 1, capacity: sum.capacity + BigInt(capacity) });
  }
  if (sums.size > 0) close();
  return wrong;
}
