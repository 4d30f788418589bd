/** Reads everything stored, for `aqs verify` and for copies. */
import type { Address, BlockFacts, MetadataClaim, OutPoint, Output } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import {
  type OutputColumns,
  outputColumns,
  TOKEN_FACTS,
  type TokenFacts,
  toOutputs,
  transactionHashes,
} from "#lib/store/outputs.ts";
import type { Query } from "#lib/store/query.ts";
import type { Tip, TokenRow } from "#lib/store/rows.ts";
import { storedAssetNames } from "#lib/store/rules/asset-names.ts";
import type { AssetName, NumberedToken } from "#lib/store/rules/rows.ts";
import type { Touch } from "#lib/store/rules/touches.ts";
import { all, type Bytes, first, statementWith, toBytes, toHex } from "#lib/store/statement.ts";
import { firstId, indexOf } from "#lib/store/transaction-id.ts";
import { type TokenColumns, tokenColumns, toTags, toTokenRow } from "./tokens.ts";

type StoredClaim = MetadataClaim & { assetId: string };

/** Everything stored of one block. */
export interface StoredBlock extends Tip, BlockFacts {
  parentHash: string;
  /** The counts in the block's own row. */
  transactionCount: number;
  changeCount: number;
  /** `index`: the stored place in the block, or in the transaction. */
  transactions: {
    index: number;
    hash: string;
    /** `createdBy`: id of the transaction that created the output; null if it is not indexed. */
    inputs: { index: number; output: Output; outPoint: OutPoint; createdBy: number | null }[];
    outputs: { index: number; output: Output; spent: boolean }[];
    claims: StoredClaim[];
  }[];
  changes: {
    index: number;
    assetId: string;
    amount: bigint;
    transactions: number;
    amountUsd: bigint;
    /** The asset's decimals and first height. */
    decimals: number;
    firstHeight: number | null;
    /** Price of one whole token as of the block's time, scaled by 10^18; null without one. */
    price: bigint | null;
  }[];
}

/** Everything stored of one token apart from its outputs, and the operator's data about it. */
export interface StoredToken extends TokenRow {
  fungible: boolean;
  contentType: string;
  /** The collection or asset that it derives from, according to the chain. */
  chainParentId: string;
  /** Height of the lowest block that mentions it. */
  firstHeight: number | null;
  /** Height of the lowest block that mints it. */
  firstMintHeight: number | null;
  tags: string[];
  /** The name in the form in which filters compare it. */
  foldedName: string;
  names: AssetName[];
  entry: RegistryEntry | null;
  hasPicture: boolean;
}

export interface StoredAddress extends Address {
  /** Height of the lowest block that mentions it. */
  firstHeight: number;
}

const BLOCK_AT = statementWith(["height"])(
  (sql) => `SELECT height, ${sql.hex("hash")} AS hash, ${sql.hex("parent_hash")} AS "parentHash", timestamp,
     header_facts AS "headerFacts", transaction_count AS "transactionCount", change_count AS "changeCount"
   FROM blocks WHERE height = $height`,
);
const inRange = statementWith(["from", "to"]);
const TRANSACTIONS_OF = inRange(
  "SELECT id, hash FROM transactions WHERE id >= $from AND id < $to ORDER BY id",
);
const outputsBy = (id: string, index: string) =>
  inRange(
    (sql) => `SELECT ${outputColumns(sql)} FROM outputs o
     WHERE o.${id} >= $from AND o.${id} < $to AND o.${index} IS NOT NULL ORDER BY o.${id}, o.${index}`,
  );
const CREATED_BY = outputsBy("transaction_id", "output_index");
const SPENT_BY = outputsBy("spent_transaction_id", "spent_input_index");
const CLAIMS_OF = inRange(
  `SELECT transaction_id AS id, asset_id AS "assetId", output_index AS "outputIndex", name, symbol, decimals FROM claims
   WHERE transaction_id >= $from AND transaction_id < $to ORDER BY transaction_id, output_index, asset_id`,
);
const CHANGES_OF = statementWith(["hash", "time"])(
  (sql) => `SELECT c.ordinal AS "index", t.asset_id AS "assetId", CAST(c.amount AS TEXT) AS amount,
     c.transaction_count AS transactions, CAST(c.amount_usd AS TEXT) AS "amountUsd", t.decimals, t.first_height AS "firstHeight",
     (SELECT p.usd FROM prices p WHERE p.asset_id = t.asset_id AND p.time <= $time ORDER BY p.time DESC LIMIT 1) AS price
   FROM asset_changes c JOIN tokens t ON t.id = c.token_id WHERE ${sql.ofBlock("$hash")} ORDER BY c.ordinal`,
);

/** The block at this height. Throws an Error if none is stored, or if it refers to a missing address or token. */
export const storedBlock: Query<number, StoredBlock> = {
  effort: "long",
  *read(db, height) {
    type BlockColumns = Omit<StoredBlock, "headerFacts" | "transactions" | "changes"> & {
      headerFacts: Bytes;
    };
    const block = yield* first<BlockColumns>(db, BLOCK_AT({ height }));
    if (!block) throw new Error(`No block is stored at height ${height}`);
    const range = { from: firstId(height), to: firstId(height + 1) };
    const transactions = new Map<number, StoredBlock["transactions"][number]>();
    for (const { id, hash } of yield* all<{ id: number; hash: Bytes }>(db, TRANSACTIONS_OF(range))) {
      transactions.set(id, { index: indexOf(id), hash: toHex(hash), inputs: [], outputs: [], claims: [] });
    }
    const created = yield* all<OutputColumns>(db, CREATED_BY(range));
    const spent = yield* all<OutputColumns>(db, SPENT_BY(range));
    const outputs = yield* toOutputs(db, [...created, ...spent]);
    for (const [i, row] of created.entries()) {
      transactions.get(row.transaction_id)?.outputs.push({
        index: row.output_index,
        output: outputs[i]!,
        spent: row.spent_transaction_id !== null,
      });
    }
    const creatorIds = spent.map((row) => row.transaction_id);
    const creators = yield* transactionHashes(db, creatorIds);
    for (const [i, row] of spent.entries()) {
      transactions.get(row.spent_transaction_id!)?.inputs.push({
        index: row.spent_input_index!,
        output: outputs[created.length + i]!,
        outPoint: { transactionHash: creators.get(row.transaction_id) ?? "", outputIndex: row.output_index },
        createdBy: row.transaction_id < 0 ? null : row.transaction_id,
      });
    }
    for (const { id, ...claim } of yield* all<StoredClaim & { id: number }>(db, CLAIMS_OF(range))) {
      transactions.get(id)?.claims.push(claim);
    }
    type Amounts = "amount" | "amountUsd" | "price";
    type ChangeColumns = Omit<StoredBlock["changes"][number], Amounts> &
      Record<"amount" | "amountUsd", string> & { price: string | null };
    const changesOf = CHANGES_OF({ hash: toBytes(block.hash), time: block.timestamp });
    const changes = yield* all<ChangeColumns>(db, changesOf);
    return {
      ...block,
      headerFacts: toHex(block.headerFacts),
      transactions: [...transactions.values()],
      changes: changes.map((row) => ({
        ...row,
        amount: BigInt(row.amount),
        amountUsd: BigInt(row.amountUsd),
        price: row.price === null ? null : BigInt(row.price),
      })),
    };
  },
};

const MENTIONED_TOKENS = statementWith(["height"])(
  `SELECT facts.*, first_height AS "firstHeight", first_mint_height AS "firstMintHeight"
   FROM (${TOKEN_FACTS}) facts JOIN tokens ON tokens.id = facts.number WHERE first_height <= $height ORDER BY facts.number`,
);

/** Tokens that blocks up to a height mention, in the order of their numbers. */
export const mentionedTokens: Query<number, NumberedToken[]> = {
  effort: "long",
  *read(db, height) {
    type Row = TokenFacts & Pick<NumberedToken, "firstHeight" | "firstMintHeight">;
    const rows = yield* all<Row>(db, MENTIONED_TOKENS({ height }));
    return rows.map((row) => ({ ...row, fungible: Boolean(row.fungible) }));
  },
};

const STORED_TOKENS = statementWith(["after", "limit"])(
  (sql) => `SELECT ${tokenColumns(sql)}, t.fungible, t.content_type AS "contentType",
     t.chain_parent_id AS "chainParentId", t.first_height AS "firstHeight", t.first_mint_height AS "firstMintHeight",
     t.tags, t.name_folded AS "foldedName",
     (SELECT entry FROM registry r WHERE r.asset_id = t.asset_id) AS entry,
     EXISTS (SELECT 1 FROM icons i WHERE i.asset_id = t.asset_id) AS "hasPicture"
   FROM tokens t WHERE t.asset_id > $after ORDER BY t.asset_id LIMIT CAST($limit AS bigint)`,
);

/** Tokens in order of id, after a given one. */
export const storedTokens: Query<{ after?: string; limit?: number }, StoredToken[]> = {
  effort: "long",
  *read(db, { after = "", limit = Number.MAX_SAFE_INTEGER }) {
    type Changed = "fungible" | "tags" | "names" | "entry" | "hasPicture";
    type Row = TokenColumns &
      Omit<StoredToken, Changed | keyof TokenRow> &
      Record<"fungible" | "hasPicture", boolean | number> & { tags: string[] | string; entry: string | null };
    const rows = yield* all<Row>(db, STORED_TOKENS({ after, limit }));
    const ids = rows.map(({ tokenId }) => tokenId);
    const names = yield* storedAssetNames(db, ids);
    return rows.map((row) => ({
      ...toTokenRow(row),
      names: names.get(row.tokenId)!,
      fungible: Boolean(row.fungible),
      tags: toTags(row.tags),
      entry: row.entry === null ? null : (JSON.parse(row.entry) as RegistryEntry),
      hasPicture: Boolean(row.hasPicture),
    }));
  },
};

const STORED_ADDRESSES = statementWith(["after", "limit"])(
  (sql) => `SELECT ${sql.hex("a.key")} AS key, a.text, a.first_height AS "firstHeight"
   FROM addresses a WHERE a.key > $after ORDER BY a.key LIMIT CAST($limit AS bigint)`,
);

/** Addresses in order of key, after a given one. */
export const storedAddresses: Query<{ after: string; limit: number }, StoredAddress[]> = {
  effort: "long",
  read: (db, { after, limit }) => all<StoredAddress>(db, STORED_ADDRESSES({ after: toBytes(after), limit })),
};

const STORED_TOUCHES = statementWith(["owner", "id", "limit"])(
  (sql) => `SELECT t.${sql.owner.column} AS owner, ${sql.ownerKey("t")} AS key,
     t.transaction_id AS "transactionId", t.last_spent AS "lastSpent"
   FROM touches t WHERE (t.${sql.owner.column}, t.transaction_id) > ($owner, CAST($id AS bigint))
   ORDER BY t.${sql.owner.column}, t.transaction_id LIMIT CAST($limit AS bigint)`,
);

export interface StoredTouch extends Touch {
  /** The address's id in SQLite, its key in PostgreSQL. */
  owner: number | string;
}

/** Touches in the order of the table's primary key, after a given one. */
export const storedTouches: Query<{ after: StoredTouch | null; limit: number }, StoredTouch[]> = {
  effort: "long",
  *read(db, { after, limit }) {
    const from = after?.owner ?? (db.engine === "sqlite" ? 0 : "0x");
    const owner = typeof from === "string" ? toBytes(from) : from;
    const rows = yield* all<Omit<StoredTouch, "addressKey"> & { key: Bytes | null }>(
      db,
      STORED_TOUCHES({ owner, id: after?.transactionId ?? -1, limit }),
    );
    return rows.map(({ key, ...row }) => ({ ...row, addressKey: key === null ? "" : toHex(key) }));
  },
};
