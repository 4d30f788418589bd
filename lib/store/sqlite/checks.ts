import type { Output } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import { gapFaults } from "#lib/store/common-queries.ts";
import { runAtOnce } from "#lib/store/rules/steps.ts";
import type { AuditedToken, StoredBlock } from "#lib/store/store.ts";
import { idRange, indexOf } from "#lib/store/transaction-id.ts";
import type { Database } from "./database.ts";
import { fromBlob } from "./encoding.ts";
import { readToken } from "./reads.ts";

const OUTPUT_COLUMNS = `
  o.transaction_id, o.output_index, o.spent_transaction_id, a.key, a.text, t.asset_id, t.standard, t.fungible,
  t.content_type, t.chain_parent_id, CAST(o.amount AS TEXT) AS amount, CAST(o.capacity AS TEXT) AS capacity, o.kind, x.hash`;
const OUTPUT_JOINS = `
  JOIN transactions x ON x.id = o.transaction_id
  JOIN addresses a ON a.id = o.address_id JOIN tokens t ON t.id = o.token_id`;

type OutputRow = {
  transaction_id: number;
  output_index: number;
  spent_transaction_id: number | null;
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

type ClaimRow = {
  transaction_id: number;
  asset_id: string;
  output_index: number;
  name: string;
  symbol: string;
  decimals: number | null;
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
    const block = db.get<{ hash: Uint8Array; parent_hash: Uint8Array; timestamp: number }>(
      "SELECT hash, parent_hash, timestamp FROM blocks WHERE height = ?",
      height,
    );
    if (!block) throw new Error(`No block is stored at height ${height}`);
    const range = idRange(height);
    const transactions: StoredBlock["transactions"] = db
      .all<{ hash: Uint8Array }>(
        "SELECT hash FROM transactions WHERE id >= ? AND id < ? ORDER BY id",
        ...range,
      )
      .map((row) => ({ hash: fromBlob(row.hash), inputs: [], outputs: [], claims: [] }));
    const created = db.all<OutputRow>(
      `SELECT ${OUTPUT_COLUMNS} FROM outputs o ${OUTPUT_JOINS}
       WHERE o.transaction_id >= ? AND o.transaction_id < ? ORDER BY o.transaction_id, o.output_index`,
      ...range,
    );
    for (const row of created) {
      transactions[indexOf(row.transaction_id)]?.outputs.push({
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
      transactions[indexOf(row.spent_transaction_id!)]?.inputs.push({
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
      transactions[indexOf(transaction_id)]?.claims.push(claim);
    }
    const changes = db
      .all<{ asset_id: string; amount: string; usd: string; decimals: number; price: string | null }>(
        `SELECT t.asset_id, CAST(c.amount AS TEXT) AS amount, CAST(c.amount_usd AS TEXT) AS usd, t.decimals,
           (SELECT p.usd FROM prices p WHERE p.asset_id = t.asset_id AND p.time <= ? ORDER BY p.time DESC LIMIT 1) AS price
         FROM asset_changes c JOIN tokens t ON t.id = c.token_id WHERE c.height = ? ORDER BY c.ordinal`,
        block.timestamp,
        height,
      )
      .map((row) => ({
        assetId: row.asset_id,
        amount: BigInt(row.amount),
        amountUsd: BigInt(row.usd),
        decimals: row.decimals,
        price: row.price === null ? null : BigInt(row.price),
      }));
    return {
      height,
      hash: fromBlob(block.hash),
      parentHash: fromBlob(block.parent_hash),
      timestamp: block.timestamp,
      transactions,
      changes,
    };
  });
}

export function readStoredTokens(db: Database, after = "", limit = -1): AuditedToken[] {
  return db.snapshot(() =>
    db
      .all<{
        id: number;
        standard: string;
        content_type: string;
        tags: string;
        name_folded: string;
        entry: string | null;
        pictured: number;
      }>(
        `SELECT id, standard, content_type, tags, name_folded,
           (SELECT entry FROM registry r WHERE r.asset_id = t.asset_id) AS entry,
           EXISTS (SELECT 1 FROM icons i WHERE i.asset_id = t.asset_id) AS pictured
         FROM tokens t WHERE asset_id > ? ORDER BY asset_id LIMIT ?`,
        after,
        limit,
      )
      .map((row) => ({
        ...readToken(db, row.id),
        standard: row.standard,
        contentType: row.content_type,
        tags: JSON.parse(row.tags) as string[],
        foldedName: row.name_folded,
        entry: row.entry === null ? null : (JSON.parse(row.entry) as RegistryEntry),
        hasPicture: row.pictured === 1,
      })),
  );
}

/** What only this engine can see: pages and indexes, dangling references, sums kept beside the outputs. */
export function checkIntegrity(db: Database): string[] {
  return db.snapshot(() => {
    const faults: string[] = [];
    for (const row of db.all<{ integrity_check: string }>("PRAGMA integrity_check")) {
      if (row.integrity_check !== "ok") faults.push(`SQLite: ${row.integrity_check}`);
    }
    const counts: [string, string][] = [
      [
        "outputs without a transaction, an address or a token",
        `SELECT count(*) AS n FROM outputs o
         WHERE NOT EXISTS (SELECT 1 FROM transactions x WHERE x.id = o.transaction_id)
            OR NOT EXISTS (SELECT 1 FROM addresses a WHERE a.id = o.address_id)
            OR NOT EXISTS (SELECT 1 FROM tokens t WHERE t.id = o.token_id)`,
      ],
      [
        "outputs spent by a transaction that is not stored",
        `SELECT count(*) AS n FROM outputs o WHERE o.spent_transaction_id IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM transactions x WHERE x.id = o.spent_transaction_id)`,
      ],
      [
        "live outputs whose block is not stored",
        `SELECT count(*) AS n FROM outputs o WHERE o.spent_transaction_id IS NULL
           AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.height = o.transaction_id / 1048576 AND o.transaction_id >= 0)`,
      ],
      [
        "blocks whose change count is wrong",
        `SELECT count(*) AS n FROM blocks b
         WHERE b.change_count <> (SELECT count(*) FROM asset_changes c WHERE c.height = b.height)`,
      ],
      [
        "blocks whose transaction count is wrong",
        `SELECT count(*) AS n FROM blocks b WHERE b.transaction_count <>
           (SELECT count(*) FROM transactions x WHERE x.id >= b.height * 1048576 AND x.id < (b.height + 1) * 1048576)`,
      ],
    ];
    for (const [what, sql] of counts) {
      const { n } = db.get<{ n: number }>(sql)!;
      if (n > 0) faults.push(`${n} ${what}`);
    }
    faults.push(...runAtOnce(gapFaults(db.shared)), ...wrongHoldings(db));
    return faults;
  });
}

/** Sums the live outputs again, in one pass over the index that the pages read. */
function wrongHoldings(db: Database): string[] {
  const faults: string[] = [];
  const rows = db.iterate<{ address_id: number; token_id: number; amount: string; capacity: string }>(
    `SELECT address_id, token_id, CAST(coalesce(amount, capacity) AS TEXT) AS amount, CAST(capacity AS TEXT) AS capacity
     FROM outputs INDEXED BY live_outputs_by_token WHERE spent_transaction_id IS NULL
     ORDER BY address_id, token_id`,
  );
  let sum:
    | { addressId: number; tokenId: number; count: number; amount: bigint; capacity: bigint }
    | undefined;
  let sums = 0;
  const close = () => {
    if (!sum) return;
    sums += 1;
    const held = db.get<{ output_count: number; amount: string; capacity: string }>(
      `SELECT output_count, CAST(amount AS TEXT) AS amount, CAST(capacity AS TEXT) AS capacity
       FROM holdings WHERE address_id = ? AND token_id = ?`,
      sum.addressId,
      sum.tokenId,
    );
    const right =
      held?.output_count === sum.count &&
      held.amount === sum.amount.toString() &&
      held.capacity === sum.capacity.toString();
    if (!right) {
      faults.push(
        `The holding of token ${sum.tokenId} by address ${sum.addressId} is not the sum of its live outputs`,
      );
    }
  };
  for (const row of rows) {
    if (sum?.addressId !== row.address_id || sum.tokenId !== row.token_id) {
      close();
      sum = { addressId: row.address_id, tokenId: row.token_id, count: 0, amount: 0n, capacity: 0n };
    }
    sum.count += 1;
    sum.amount += BigInt(row.amount);
    sum.capacity += BigInt(row.capacity);
  }
  close();
  const stored = db.get<{ n: number }>("SELECT count(*) AS n FROM holdings")!.n;
  if (stored !== sums) faults.push(`${stored} holdings are stored, the live outputs make ${sums}`);
  return faults;
}
