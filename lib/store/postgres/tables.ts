import type { HeightRange } from "#lib/contract/coverage.ts";
import type { OutPoint, TokenReference } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import * as common from "#lib/store/common-queries.ts";
import { type OutputColumns, outputColumns, toOutputs } from "#lib/store/outputs.ts";
import { alreadyStored } from "#lib/store/rules/batch.ts";
import { runInTurn } from "#lib/store/rules/steps.ts";
import type { HoldingDelta, KindDelta, TokenDelta } from "#lib/store/rules/sums.ts";
import type {
  ChangeRow,
  ClaimRow,
  DatedChange,
  NamedToken,
  NameRow,
  OutputPlace,
  OutputRow,
  PlacedOutput,
  Retraction,
  Tables,
  TransactionRecord,
  ValueRow,
} from "#lib/store/rules/tables.ts";
import { dialects, type Statement, statement } from "#lib/store/statement.ts";
import {
  type AssetIcon,
  type ChainIdentity,
  type Price,
  REMEMBERED_BLOCKS,
  type ResolvedBlock,
  type StoredOutput,
  type Tip,
} from "#lib/store/store.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { byteaArray, bytes, type Column, numberArray, numbers, plain } from "./encoding.ts";
import type { Session } from "./session.ts";

/** Most rows for which a statement names their shards: the server compares each row with all of them. */
const FEW_ROWS = 32;

/** A statement over any number of rows; `few` is the same on a Citus cluster, and visits only the rows' own shards. */
interface Sharded {
  many: Statement;
  few: Statement;
}

/** `shards`: a condition on the column that distributes the table. */
const sharded = (name: string, text: string, shards: string, ending = ""): Sharded => ({
  many: statement(name, `${text} ${ending}`),
  few: statement(`${name}-few`, `${text} AND ${shards} ${ending}`),
});

const pick = ({ many, few }: Sharded, rows: number, distributed: boolean): Statement =>
  distributed && rows <= FEW_ROWS ? few : many;

const INSERT_IDENTITY = statement(
  "insert-identity",
  "INSERT INTO state (key, value) VALUES ('identity', $1)",
);
/** Tokens are numbered, the native asset first. */
const NATIVE_ID = 1;
const INSERT_NATIVE = statement(
  "insert-native",
  `INSERT INTO tokens (id, asset_id, standard, fungible, content_type, chain_parent_id)
   VALUES (${NATIVE_ID}, $1, 'native', true, '', '')`,
);

const BLOCKS_AT = statement(
  "blocks-at",
  `SELECT height, hash, parent_hash AS "parentHash" FROM blocks WHERE height = ANY ($1::bigint[])`,
);
const TRANSACTIONS = statement(
  "transactions-by-hash",
  "SELECT hash, id FROM transactions WHERE hash = ANY ($1::bytea[])",
);
const LOWEST_ID = statement("lowest-transaction", "SELECT min(id) AS id FROM transactions");
const OUTPUT_COLUMNS = outputColumns(dialects.postgres);
const OUTPUTS = sharded(
  "outputs-by-place",
  `SELECT ${OUTPUT_COLUMNS}, t.asset_id
   FROM unnest($1::bigint[], $2::bigint[]) AS wanted (transaction_id, output_index)
   JOIN outputs o ON o.transaction_id = wanted.transaction_id AND o.output_index = wanted.output_index
   JOIN tokens t ON t.id = o.token_id
   WHERE true`,
  "o.transaction_id = ANY ($1::bigint[])",
);
const outputsWhere = (name: string, condition: string) =>
  statement(
    name,
    `SELECT ${OUTPUT_COLUMNS}, t.asset_id FROM outputs o JOIN tokens t ON t.id = o.token_id WHERE ${condition}`,
  );
const OUTPUTS_OF = outputsWhere("outputs-of-transactions", "o.transaction_id = ANY ($1::bigint[])");
const SPENT_FROM = outputsWhere("spent-from", "o.spent_transaction_id >= $1");
const CREATED_FROM = outputsWhere("created-from", "o.transaction_id >= $1");

const TOKEN_IDS = statement(
  "tokens-of-assets",
  "SELECT id, asset_id FROM tokens WHERE asset_id = ANY ($1::text[])",
);
const HIGHEST_TOKEN = statement("highest-token", "SELECT max(id) AS id FROM tokens");
const INSERT_TOKENS = statement(
  "insert-tokens",
  `INSERT INTO tokens (id, asset_id, standard, fungible, content_type, chain_parent_id)
   SELECT * FROM unnest($1::integer[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::text[])`,
);
const INSERT_BLOCKS = statement(
  "insert-blocks",
  `INSERT INTO blocks (height, hash, parent_hash, timestamp, header_facts, transaction_count, change_count)
   SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bytea[], $6::integer[], $7::integer[])`,
);
const DELETE_ABANDONED = ["abandoned_blocks", "abandoned_touches"].map((table) =>
  statement(`delete-${table}`, `DELETE FROM ${table} WHERE hash = ANY ($1::bytea[])`),
);
const INSERT_TRANSACTIONS = statement(
  "insert-transactions",
  "INSERT INTO transactions (id, hash) SELECT * FROM unnest($1::bigint[], $2::bytea[])",
);
const MOVE_TRANSACTIONS = statement(
  "move-transactions",
  `UPDATE transactions x SET id = moved.id
   FROM unnest($1::bigint[], $2::bytea[]) AS moved (id, hash) WHERE x.hash = moved.hash`,
);
/** A row of another place is another row: if outputs are distributed by transaction, it may change machines. */
const DELETE_MOVED = statement(
  "delete-moved-outputs",
  "DELETE FROM outputs WHERE transaction_id = ANY ($1::bigint[])",
);
const FIRST_HEIGHTS = statement(
  "first-heights",
  "SELECT key, first_height FROM addresses WHERE key = ANY ($1::bytea[])",
);
const INSERT_ADDRESSES = statement(
  "insert-addresses",
  "INSERT INTO addresses (key, text, first_height) SELECT * FROM unnest($1::bytea[], $2::text[], $3::bigint[])",
);
const LOWER_FIRST_HEIGHTS = statement(
  "lower-first-heights",
  `UPDATE addresses a SET first_height = seen.first_height
   FROM unnest($1::bytea[], $2::bigint[]) AS seen (key, first_height)
   WHERE a.key = seen.key`,
);
const INSERT_CLAIMS = statement(
  "insert-claims",
  `INSERT INTO claims (asset_id, transaction_id, output_index, name, symbol, decimals)
   SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::integer[])`,
);
const INSERT_OUTPUTS = statement(
  "insert-outputs",
  `INSERT INTO outputs (transaction_id, output_index, spent_transaction_id, spent_input_index, token_id, address_key,
                        amount, capacity, kind)
   SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[], $5::integer[], $6::bytea[],
                        $7::numeric[], $8::numeric[], $9::text[])`,
);
const SPEND_OUTPUTS = sharded(
  "spend-outputs",
  `UPDATE outputs o SET spent_transaction_id = spent.spent_transaction_id, spent_input_index = spent.input_index
   FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::integer[])
     AS spent (transaction_id, output_index, spent_transaction_id, input_index)
   WHERE o.transaction_id = spent.transaction_id AND o.output_index = spent.output_index`,
  "o.transaction_id = ANY ($1::bigint[])",
);
const INSERT_LIVE = statement(
  "insert-live-outputs",
  `INSERT INTO live_outputs (transaction_id, output_index, token_id, address_key, transaction_hash, amount, capacity)
   SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::bytea[], $5::bytea[], $6::numeric[],
                        $7::numeric[])`,
);
const DELETE_LIVE = sharded(
  "delete-live-outputs",
  `DELETE FROM live_outputs l USING unnest($1::bytea[], $2::bigint[], $3::bigint[])
     AS spent (address_key, transaction_id, output_index)
   WHERE l.address_key = spent.address_key AND l.transaction_id = spent.transaction_id
     AND l.output_index = spent.output_index`,
  "l.address_key = ANY ($1::bytea[])",
);
const ADD_TO_TOKENS = statement(
  "add-to-tokens",
  `UPDATE tokens t SET supply = t.supply + added.supply,
     first_height = least(t.first_height, added.first_height),
     first_mint_height = least(t.first_mint_height, added.first_mint)
   FROM unnest($1::integer[], $2::numeric[], $3::bigint[], $4::bigint[]) AS added (id, supply, first_height, first_mint)
   WHERE t.id = added.id
     AND (added.supply <> 0
       OR least(t.first_height, added.first_height) IS DISTINCT FROM t.first_height
       OR least(t.first_mint_height, added.first_mint) IS DISTINCT FROM t.first_mint_height)`,
);
const ADD_TO_HOLDINGS = sharded(
  "add-to-holdings",
  `UPDATE holdings h SET output_count = h.output_count + added.output_count, amount = h.amount + added.amount,
     capacity = h.capacity + added.capacity
   FROM unnest($1::bytea[], $2::integer[], $3::bigint[], $4::numeric[], $5::numeric[])
     AS added (address_key, token_id, output_count, amount, capacity)
   WHERE h.address_key = added.address_key AND h.token_id = added.token_id`,
  "h.address_key = ANY ($1::bytea[])",
  "RETURNING h.address_key, h.token_id",
);
const INSERT_HOLDINGS = statement(
  "insert-holdings",
  `INSERT INTO holdings (address_key, token_id, output_count, amount, capacity)
   SELECT * FROM unnest($1::bytea[], $2::integer[], $3::bigint[], $4::numeric[], $5::numeric[])`,
);
const DELETE_EMPTY_HOLDINGS = sharded(
  "delete-empty-holdings",
  `DELETE FROM holdings h USING unnest($1::bytea[], $2::integer[]) AS changed (address_key, token_id)
   WHERE h.address_key = changed.address_key AND h.token_id = changed.token_id AND h.output_count = 0`,
  "h.address_key = ANY ($1::bytea[])",
);
const ADD_TO_KINDS = statement(
  "add-to-kinds",
  `INSERT INTO kinds AS k (address_key, kind, output_count, capacity)
   SELECT * FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::numeric[])
   ON CONFLICT (address_key, kind) DO UPDATE
   SET output_count = k.output_count + excluded.output_count, capacity = k.capacity + excluded.capacity`,
);
const DELETE_EMPTY_KINDS = statement(
  "delete-empty-kinds",
  "DELETE FROM kinds WHERE address_key = ANY ($1::bytea[]) AND output_count = 0",
);
const INSERT_CHANGES = statement(
  "insert-changes",
  `INSERT INTO asset_changes (block_hash, ordinal, token_id, height, amount, amount_usd)
   SELECT * FROM unnest($1::bytea[], $2::integer[], $3::integer[], $4::bigint[], $5::numeric[], $6::numeric[])`,
);

const HIGHEST_BLOCKS = statement(
  "highest-blocks",
  "SELECT height, hash FROM blocks WHERE height > $1 ORDER BY height DESC LIMIT $2::bigint",
);
const HASHES_OF = statement(
  "hashes-of-transactions",
  "SELECT id, hash FROM transactions WHERE id = ANY ($1::bigint[])",
);
const UNSPEND = statement(
  "unspend",
  `UPDATE outputs SET spent_transaction_id = NULL, spent_input_index = NULL
   WHERE spent_transaction_id >= $1 AND transaction_id >= 0`,
);
const DELETE_FOREIGN = statement(
  "delete-foreign-outputs",
  "DELETE FROM outputs WHERE spent_transaction_id >= $1",
);
const USED_TRANSACTIONS = statement(
  "used-transactions",
  "SELECT DISTINCT transaction_id AS id FROM outputs WHERE transaction_id = ANY ($1::bigint[])",
);
const DELETE_TRANSACTIONS = statement(
  "delete-transactions",
  "DELETE FROM transactions WHERE id = ANY ($1::bigint[])",
);
const DELETE_OUTPUTS_FROM = statement(
  "delete-outputs-from",
  "DELETE FROM outputs WHERE transaction_id >= $1",
);
const DELETE_TRANSACTIONS_FROM = statement(
  "delete-transactions-from",
  "DELETE FROM transactions WHERE id >= $1",
);
const DELETE_CLAIMS_FROM = statement(
  "delete-claims-from",
  "DELETE FROM claims WHERE transaction_id >= $1 RETURNING asset_id",
);
const DELETE_CHANGES = statement(
  "delete-changes",
  "DELETE FROM asset_changes WHERE block_hash = ANY ($1::bytea[])",
);
const ABANDON_BLOCKS = statement(
  "abandon-blocks",
  `INSERT INTO abandoned_blocks (hash, height, parent_hash)
   SELECT hash, height, parent_hash FROM blocks WHERE height = ANY ($1::bigint[])`,
);
const INSERT_TOUCHES = statement(
  "insert-touches",
  "INSERT INTO abandoned_touches (hash, height, keys) SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::bytea[])",
);
const FORGET_TOUCHES = statement("forget-touches", "DELETE FROM abandoned_touches WHERE height < $1");
const DELETE_BLOCKS = statement("delete-blocks", "DELETE FROM blocks WHERE height >= $1");
const DROP_ADDRESSES = statement(
  "drop-addresses",
  "DELETE FROM addresses WHERE key = ANY ($1::bytea[]) AND first_height > $2",
);
const DROP_TOKENS = statement(
  "drop-tokens",
  "DELETE FROM tokens WHERE asset_id = ANY ($1::text[]) AND asset_id <> $3 AND first_height > $2",
);
const FORGET_HEIGHTS = statement(
  "forget-heights",
  `UPDATE tokens SET
     first_mint_height = CASE WHEN first_mint_height <= $2 THEN first_mint_height END,
     first_height = CASE WHEN first_height <= $2 THEN first_height END
   WHERE asset_id = ANY ($1::text[]) AND (first_mint_height > $2 OR first_height > $2)`,
);

const EARLIEST_CLAIM = "SELECT name, symbol, decimals FROM claims WHERE asset_id";
const IN_CHAIN_ORDER = "ORDER BY transaction_id, output_index LIMIT 1";
const NAMING_FACTS = statement(
  "naming-facts",
  `SELECT t.asset_id AS id, t.fungible, t.chain_parent_id AS "parentId", t.decimals,
     (SELECT row_to_json(c) FROM (${EARLIEST_CLAIM} = t.asset_id ${IN_CHAIN_ORDER}) c) AS claim,
     (SELECT row_to_json(c) FROM (${EARLIEST_CLAIM} = t.chain_parent_id ${IN_CHAIN_ORDER}) c) AS "parentClaim",
     (SELECT entry::json FROM registry r WHERE r.asset_id = t.asset_id) AS entry,
     EXISTS (SELECT 1 FROM icons i WHERE i.asset_id = t.asset_id) AS "hasPicture"
   FROM tokens t WHERE t.asset_id = ANY ($1::text[])`,
);
const EARLIEST_CLAIMS = statement(
  "earliest-claims",
  `SELECT c.* FROM unnest($1::text[]) AS wanted (asset_id) CROSS JOIN LATERAL (
     SELECT asset_id AS "assetId", transaction_id AS "transactionId", output_index AS "outputIndex", name, symbol, decimals
     FROM claims WHERE asset_id = wanted.asset_id ${IN_CHAIN_ORDER}) c`,
);
const MEMBERS = statement(
  "members",
  "SELECT asset_id FROM tokens WHERE chain_parent_id = ANY ($1::text[]) AND chain_parent_id <> ''",
);
const SAVE_NAMES = statement(
  "save-names",
  `UPDATE tokens t SET layer = n.layer, parent_id = n."parentId", name = n.name, name_folded = n."foldedName",
     symbol = n.symbol, decimals = n.decimals, icon = n.icon, description = n.description, keywords = n.keywords,
     public = n.public, tags = n.tags
   FROM json_to_recordset($1) AS n (id text, layer integer, "parentId" text, name text, "foldedName" text, symbol text,
     decimals integer, icon text, description text, keywords text, public boolean, tags text[])
   WHERE t.asset_id = n.id`,
);
const LISTED = statement("listed", "SELECT asset_id FROM registry UNION SELECT asset_id FROM icons");
const CLEAR_REGISTRY = statement("clear-registry", "DELETE FROM registry");
const CLEAR_ICONS = statement("clear-icons", "DELETE FROM icons");
const INSERT_REGISTRY = statement(
  "insert-registry",
  "INSERT INTO registry (asset_id, entry) SELECT * FROM unnest($1::text[], $2::text[])",
);
const INSERT_ICONS = statement(
  "insert-icons",
  "INSERT INTO icons (asset_id, picture, etag) SELECT * FROM unnest($1::text[], $2::bytea[], $3::text[])",
);

const PRICES_AT = statement(
  "prices-at",
  `SELECT t.decimals, p.usd
   FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS asked (asset_id, time, ordinal)
   JOIN tokens t ON t.asset_id = asked.asset_id
   LEFT JOIN LATERAL (
     SELECT usd FROM prices WHERE asset_id = asked.asset_id AND time <= asked.time ORDER BY time DESC LIMIT 1
   ) p ON true
   ORDER BY asked.ordinal`,
);
const INSERT_PRICES = statement(
  "insert-prices",
  `INSERT INTO prices (asset_id, time, usd) SELECT * FROM unnest($1::text[], $2::bigint[], $3::numeric[])
   ON CONFLICT (asset_id, time) DO UPDATE SET usd = excluded.usd WHERE prices.usd <> excluded.usd
   RETURNING asset_id, time`,
);
const DECIMALS = statement("decimals", "SELECT decimals FROM tokens WHERE asset_id = $1");
const PRICES_FROM = statement(
  "prices-from",
  `SELECT time, usd FROM prices WHERE asset_id = $1 AND time >= coalesce(
     (SELECT max(time) FROM prices WHERE asset_id = $1 AND time <= $2), $2) ORDER BY time`,
);
const FIRST_HEIGHT_FROM = statement(
  "first-height-from",
  "SELECT min(height) AS height FROM blocks WHERE timestamp >= $1",
);
const CHANGES_OF = statement(
  "changes-of",
  `SELECT c.block_hash AS "blockHash", c.height, c.ordinal, c.amount, c.amount_usd AS usd, b.timestamp
   FROM asset_changes c JOIN blocks b ON b.height = c.height
   WHERE c.token_id = (SELECT id FROM tokens WHERE asset_id = $1) AND c.height > $2 AND b.timestamp >= $3
   ORDER BY c.height LIMIT 10000`,
);
const SAVE_VALUES = statement(
  "save-values",
  `UPDATE asset_changes c SET amount_usd = v.usd
   FROM unnest($1::bytea[], $2::integer[], $3::numeric[]) AS v (block_hash, ordinal, usd)
   WHERE c.block_hash = v.block_hash AND c.ordinal = v.ordinal`,
);

/** Prices of one statement. */
const PRICE_ROWS = 10_000;

type OutputWithAsset = OutputColumns & { asset_id: string };

async function transactionIds(session: Session, hashes: string[]): Promise<Map<string, number>> {
  if (hashes.length === 0) return new Map();
  const rows = await session.all<{ hash: string; id: number }>(TRANSACTIONS, byteaArray(hashes));
  return new Map(rows.map((row) => [row.hash, row.id]));
}

export async function outputsAt(
  session: Session,
  outPoints: OutPoint[],
  distributed: boolean,
): Promise<(StoredOutput | undefined)[]> {
  const ids = await transactionIds(session, [...new Set(outPoints.map((point) => point.transactionHash))]);
  const places = outPoints.flatMap(({ transactionHash, outputIndex }) => {
    const id = ids.get(transactionHash);
    return id === undefined ? [] : [{ id, outputIndex }];
  });
  if (places.length === 0) return outPoints.map(() => undefined);
  const rows = await session.all<OutputWithAsset>(
    pick(OUTPUTS, places.length, distributed),
    numberArray(places.map((place) => place.id)),
    numberArray(places.map((place) => place.outputIndex)),
  );
  const outputs = await runInTurn(toOutputs(session, rows));
  const byPlace = new Map(
    rows.map((row, i) => [
      `${row.transaction_id}:${row.output_index}`,
      { transactionId: row.transaction_id, ...outputs[i]! },
    ]),
  );
  return outPoints.map(({ transactionHash, outputIndex }) =>
    byPlace.get(`${ids.get(transactionHash)}:${outputIndex}`),
  );
}

/** The tables within one write transaction. The number of round trips does not depend on the number of rows. */
export class PostgresTables implements Tables {
  readonly #session: Session;
  readonly #distributed: boolean;
  /** Of the assets that the transaction has met. */
  readonly #tokenIds = new Map<string, number>();
  /** Live outputs that were removed. */
  removed = 0;

  /** `distributed`: the tables may be spread over a Citus cluster. */
  constructor(session: Session, distributed: boolean) {
    this.#session = session;
    this.#distributed = distributed;
  }

  /** One statement for all rows, with an array for each column; none if there are no rows. */
  async #save<T>(query: Statement | Sharded, rows: T[], ...columns: Column<T>[]): Promise<void> {
    if (rows.length === 0) return;
    const fitting = "few" in query ? pick(query, rows.length, this.#distributed) : query;
    await this.#session.run(fitting, ...columns.map((column) => column(rows)));
  }

  #tokenId(assetId: string): number {
    const id = this.#tokenIds.get(assetId);
    if (id === undefined) throw new Error(`The asset ${assetId} is not stored`);
    return id;
  }

  async identity() {
    const identity = await runInTurn(common.identity(this.#session));
    if (identity) this.#tokenIds.set(identity.native.id, NATIVE_ID);
    return identity;
  }

  async addIdentity(identity: ChainIdentity) {
    await this.#session.run(INSERT_IDENTITY, JSON.stringify(identity));
    await this.#session.run(INSERT_NATIVE, identity.native.id);
  }

  tip() {
    return runInTurn(common.tip(this.#session));
  }

  addGaps(gaps: HeightRange[]) {
    return runInTurn(common.addGaps(this.#session, gaps));
  }

  removeGapAt(height: number) {
    return runInTurn(common.removeGapAt(this.#session, height));
  }

  removeGapsAbove(height: number) {
    return runInTurn(common.removeGapsAbove(this.#session, height));
  }

  blocksAt(heights: number[]) {
    return this.#session.all<Tip & { parentHash: string }>(BLOCKS_AT, numberArray(heights));
  }

  transactionIds(hashes: string[]) {
    return transactionIds(this.#session, hashes);
  }

  async lowestTransactionId() {
    return (await this.#session.get<{ id: number | null }>(LOWEST_ID))?.id ?? 0;
  }

  async #outputs(query: Statement, ...values: unknown[]): Promise<OutputRow[]> {
    const rows = await this.#session.all<OutputWithAsset>(query, ...values);
    return rows.map((row) => {
      this.#tokenIds.set(row.asset_id, row.token_id);
      return {
        transactionId: row.transaction_id,
        outputIndex: row.output_index,
        addressKey: String(row.owner),
        assetId: row.asset_id,
        amount: row.amount === null ? null : BigInt(row.amount),
        capacity: BigInt(row.capacity),
        kind: row.kind,
        spentBy: row.spent_transaction_id,
        spentInput: row.spent_input_index,
      };
    });
  }

  async outputs(places: OutputPlace[]) {
    if (places.length === 0) return [];
    const ids = numberArray(places.map((place) => place.transactionId));
    const query = pick(OUTPUTS, places.length, this.#distributed);
    return this.#outputs(query, ids, numberArray(places.map((place) => place.outputIndex)));
  }

  async outputsOf(transactionIds: number[]) {
    return transactionIds.length === 0 ? [] : this.#outputs(OUTPUTS_OF, numberArray(transactionIds));
  }

  /** New ones are numbered in order. */
  async addTokens(assetIds: string[], references: Map<string, TokenReference>) {
    await this.#knowTokens(assetIds);
    const fresh = assetIds.filter((id) => !this.#tokenIds.has(id)).map((id) => references.get(id)!);
    if (fresh.length === 0) return [];
    const highest = (await this.#session.get<{ id: number }>(HIGHEST_TOKEN))!.id;
    for (const [i, token] of fresh.entries()) this.#tokenIds.set(token.id, highest + 1 + i);
    await this.#save(
      INSERT_TOKENS,
      fresh,
      numbers((token) => this.#tokenId(token.id)),
      plain((token) => token.id),
      plain((token) => token.standard),
      plain((token) => token.fungible),
      plain((token) => token.contentType),
      plain((token) => token.parentId),
    );
    return fresh.map((token) => token.id);
  }

  async #knowTokens(assetIds: string[]): Promise<void> {
    const rows = await this.#session.all<{ id: number; asset_id: string }>(TOKEN_IDS, assetIds);
    for (const row of rows) this.#tokenIds.set(row.asset_id, row.id);
  }

  async addBlocks(blocks: ResolvedBlock[]) {
    await this.#save(
      INSERT_BLOCKS,
      blocks,
      numbers((block) => block.height),
      bytes((block) => block.hash),
      bytes((block) => block.parentHash),
      numbers((block) => block.timestamp),
      bytes((block) => block.headerFacts),
      numbers((block) => block.transactions.length),
      numbers((block) => block.changes.length),
    );
    const hashes = bytes((block: ResolvedBlock) => block.hash);
    for (const query of DELETE_ABANDONED) await this.#save(query, blocks, hashes);
  }

  async addTransactions(transactions: TransactionRecord[]) {
    const [stored] = await this.transactionIds(transactions.map(({ hash }) => hash));
    if (stored) throw alreadyStored(...stored);
    await this.#save(
      INSERT_TRANSACTIONS,
      transactions,
      numbers(({ id }) => id),
      bytes(({ hash }) => hash),
    );
  }

  async moveTransactions(transactions: TransactionRecord[]) {
    await this.#save(
      MOVE_TRANSACTIONS,
      transactions,
      numbers(({ id }) => id),
      bytes(({ hash }) => hash),
    );
    await this.#save(
      DELETE_MOVED,
      transactions,
      numbers(({ storedId }) => storedId ?? null),
    );
  }

  async addAddresses(addresses: Map<string, { text: string; firstHeight: number }>) {
    if (addresses.size === 0) return;
    const rows = await this.#session.all<{ key: string; first_height: number }>(
      FIRST_HEIGHTS,
      byteaArray([...addresses.keys()]),
    );
    const stored = new Map(rows.map((row) => [row.key, row.first_height]));
    await this.#save(
      INSERT_ADDRESSES,
      [...addresses].filter(([key]) => !stored.has(key)),
      bytes(([key]) => key),
      plain(([, address]) => address.text),
      numbers(([, address]) => address.firstHeight),
    );
    await this.#save(
      LOWER_FIRST_HEIGHTS,
      [...addresses].filter(([key, address]) => address.firstHeight < (stored.get(key) ?? 0)),
      bytes(([key]) => key),
      numbers(([, address]) => address.firstHeight),
    );
  }

  addClaims(claims: ClaimRow[]) {
    return this.#save(
      INSERT_CLAIMS,
      claims,
      plain((claim) => claim.assetId),
      numbers((claim) => claim.transactionId),
      numbers((claim) => claim.outputIndex),
      plain((claim) => claim.name),
      plain((claim) => claim.symbol),
      numbers((claim) => claim.decimals),
    );
  }

  async addOutputs(added: Iterable<PlacedOutput>) {
    const outputs = [...added];
    await this.#save(
      INSERT_OUTPUTS,
      outputs,
      numbers((output) => output.transactionId),
      numbers((output) => output.outputIndex),
      numbers((output) => output.spentBy),
      numbers((output) => output.spentInput),
      numbers((output) => this.#tokenId(output.assetId)),
      bytes((output) => output.addressKey),
      numbers((output) => output.amount),
      numbers((output) => output.capacity),
      plain((output) => output.kind),
    );
    await this.#addLive(outputs.filter((output) => output.spentBy === null));
  }

  #addLive(outputs: PlacedOutput[]) {
    return this.#save(
      INSERT_LIVE,
      outputs,
      numbers((output) => output.transactionId),
      numbers((output) => output.outputIndex),
      numbers((output) => this.#tokenId(output.assetId)),
      bytes((output) => output.addressKey),
      bytes((output) => output.transactionHash),
      numbers((output) => output.amount),
      numbers((output) => output.capacity),
    );
  }

  async spendOutputs(spent: Iterable<PlacedOutput>) {
    const outputs = [...spent];
    await this.#save(
      SPEND_OUTPUTS,
      outputs,
      numbers((output) => output.transactionId),
      numbers((output) => output.outputIndex),
      numbers((output) => output.spentBy),
      numbers((output) => output.spentInput),
    );
    await this.#deleteLive(outputs);
  }

  async #deleteLive(outputs: OutputRow[]) {
    this.removed += outputs.length;
    await this.#save(
      DELETE_LIVE,
      outputs,
      bytes((output) => output.addressKey),
      numbers((output) => output.transactionId),
      numbers((output) => output.outputIndex),
    );
  }

  addToTokens(deltas: TokenDelta[]) {
    return this.#save(
      ADD_TO_TOKENS,
      deltas,
      numbers((delta) => this.#tokenId(delta.assetId)),
      numbers((delta) => delta.supply),
      numbers((delta) => delta.firstHeight),
      numbers((delta) => delta.firstMint),
    );
  }

  async addToHoldings(deltas: HoldingDelta[]) {
    if (deltas.length === 0) return;
    const columns: Column<HoldingDelta>[] = [
      bytes((delta) => delta.addressKey),
      numbers((delta) => this.#tokenId(delta.assetId)),
      numbers((delta) => delta.count),
      numbers((delta) => delta.amount),
      numbers((delta) => delta.capacity),
    ];
    const rows = await this.#session.all<{ address_key: string; token_id: number }>(
      pick(ADD_TO_HOLDINGS, deltas.length, this.#distributed),
      ...columns.map((column) => column(deltas)),
    );
    const stored = new Set(rows.map((row) => `${row.address_key} ${row.token_id}`));
    const isNew = (delta: HoldingDelta) => !stored.has(`${delta.addressKey} ${this.#tokenId(delta.assetId)}`);
    await this.#save(INSERT_HOLDINGS, deltas.filter(isNew), ...columns);
    await this.#save(
      DELETE_EMPTY_HOLDINGS,
      deltas.filter((delta) => delta.count < 0),
      bytes((delta) => delta.addressKey),
      numbers((delta) => this.#tokenId(delta.assetId)),
    );
  }

  async addToKinds(deltas: KindDelta[]) {
    const address = bytes((delta: KindDelta) => delta.addressKey);
    await this.#save(
      ADD_TO_KINDS,
      deltas,
      address,
      plain((delta) => delta.kind),
      numbers((delta) => delta.count),
      numbers((delta) => delta.capacity),
    );
    await this.#save(
      DELETE_EMPTY_KINDS,
      deltas.filter((delta) => delta.count < 0),
      address,
    );
  }

  addChanges(changes: ChangeRow[]) {
    return this.#save(
      INSERT_CHANGES,
      changes,
      bytes((change) => change.blockHash),
      numbers((change) => change.ordinal),
      numbers((change) => this.#tokenId(change.assetId)),
      numbers((change) => change.height),
      numbers((change) => change.amount),
      numbers((change) => change.usd),
    );
  }

  highestBlocks(height: number, limit: number) {
    return this.#session.all<Tip>(HIGHEST_BLOCKS, height, limit);
  }

  outputsSpentFrom(transactionId: number) {
    return this.#outputs(SPENT_FROM, transactionId);
  }

  outputsCreatedFrom(transactionId: number) {
    return this.#outputs(CREATED_FROM, transactionId);
  }

  async retract({ blocks, live, revived, foreign }: Retraction) {
    const session = this.#session;
    const { height } = blocks.at(-1)!;
    const from = firstId(height);
    await this.#deleteLive(live);
    await session.run(DELETE_OUTPUTS_FROM, from);
    await session.run(UNSPEND, from);
    await this.#revive(revived);
    await session.run(DELETE_FOREIGN, from);
    if (foreign.length > 0) {
      const used = await session.all<{ id: number }>(USED_TRANSACTIONS, numberArray(foreign));
      const stillUsed = new Set(used.map((row) => row.id));
      await session.run(DELETE_TRANSACTIONS, numberArray(foreign.filter((id) => !stillUsed.has(id))));
    }
    await session.run(DELETE_TRANSACTIONS_FROM, from);
    const claims = await session.all<{ asset_id: string }>(DELETE_CLAIMS_FROM, from);
    await this.#save(
      DELETE_CHANGES,
      blocks,
      bytes((block) => block.hash),
    );
    await this.#save(
      ABANDON_BLOCKS,
      blocks,
      numbers((block) => block.height),
    );
    await this.#save(
      INSERT_TOUCHES,
      blocks.filter(({ touched }) => touched !== null),
      bytes((block) => block.hash),
      numbers((block) => block.height),
      bytes((block) => block.touched),
    );
    await session.run(FORGET_TOUCHES, height - REMEMBERED_BLOCKS);
    await session.run(DELETE_BLOCKS, height);
    return claims.map((claim) => claim.asset_id);
  }

  async #revive(outputs: OutputRow[]): Promise<void> {
    if (outputs.length === 0) return;
    const ids = numberArray([...new Set(outputs.map((output) => output.transactionId))]);
    const rows = await this.#session.all<{ id: number; hash: string }>(HASHES_OF, ids);
    const hashes = new Map(rows.map((row) => [row.id, row.hash]));
    await this.#addLive(
      outputs.map((output) => ({ ...output, transactionHash: hashes.get(output.transactionId)! })),
    );
  }

  async dropUnseen(height: number, addressKeys: string[], assetIds: string[], nativeId: string) {
    if (addressKeys.length > 0) await this.#session.run(DROP_ADDRESSES, byteaArray(addressKeys), height);
    await this.#session.run(DROP_TOKENS, assetIds, height, nativeId);
    await this.#session.run(FORGET_HEIGHTS, assetIds, height);
  }

  earliestClaims(assetIds: string[]) {
    return this.#session.all<ClaimRow>(EARLIEST_CLAIMS, assetIds);
  }

  async membersOf(collectionIds: string[]) {
    return (await this.#session.all<{ asset_id: string }>(MEMBERS, collectionIds)).map((row) => row.asset_id);
  }

  namingFacts(assetIds: string[]) {
    return this.#session.all<NamedToken>(NAMING_FACTS, assetIds);
  }

  async saveNames(names: NameRow[]) {
    await this.#session.run(SAVE_NAMES, JSON.stringify(names));
  }

  async listedAssets() {
    return (await this.#session.all<{ asset_id: string }>(LISTED)).map((row) => row.asset_id);
  }

  async replaceListing(entries: RegistryEntry[], icons: AssetIcon[]) {
    await this.#session.run(CLEAR_REGISTRY);
    await this.#save(
      INSERT_REGISTRY,
      entries,
      plain((entry) => entry.id),
      plain((entry) => JSON.stringify(entry)),
    );
    await this.#session.run(CLEAR_ICONS);
    await this.#save(
      INSERT_ICONS,
      icons,
      plain((icon) => icon.assetId),
      (rows) => rows.map((icon) => Buffer.from(icon.picture)),
      plain((icon) => icon.etag),
    );
  }

  async pricesAt(asked: { assetId: string; time: number }[]) {
    const rows = await this.#session.all<{ decimals: number; usd: string | null }>(
      PRICES_AT,
      asked.map(({ assetId }) => assetId),
      numberArray(asked.map(({ time }) => time)),
    );
    return rows.map(({ decimals, usd }) => ({ decimals, usd: usd === null ? null : BigInt(usd) }));
  }

  async addPrices(prices: Price[]) {
    const changed: { assetId: string; time: number }[] = [];
    for (let i = 0; i < prices.length; i += PRICE_ROWS) {
      const some = prices.slice(i, i + PRICE_ROWS);
      const rows = await this.#session.all<{ asset_id: string; time: number }>(
        INSERT_PRICES,
        some.map((price) => price.assetId),
        numberArray(some.map((price) => price.time)),
        numberArray(some.map((price) => price.usd)),
      );
      for (const row of rows) changed.push({ assetId: row.asset_id, time: row.time });
    }
    return changed;
  }

  removePrices(assetId: string, from: number, to: number) {
    return runInTurn(common.removePrices(this.#session, assetId, from, to));
  }

  async pricesFrom(assetId: string, time: number) {
    const rows = await this.#session.all<{ time: number; usd: string }>(PRICES_FROM, assetId, time);
    return rows.map((row) => ({ time: row.time, usd: BigInt(row.usd) }));
  }

  async decimalsOf(assetId: string) {
    return (await this.#session.get<{ decimals: number }>(DECIMALS, assetId))?.decimals;
  }

  async firstHeightFrom(time: number) {
    return (await this.#session.get<{ height: number | null }>(FIRST_HEIGHT_FROM, time))?.height ?? null;
  }

  async changesOf(assetId: string, aboveHeight: number, time: number) {
    type Row = Omit<DatedChange, "amount" | "usd"> & { amount: string; usd: string };
    const rows = await this.#session.all<Row>(CHANGES_OF, assetId, aboveHeight, time);
    return rows.map((row) => ({ ...row, amount: BigInt(row.amount), usd: BigInt(row.usd) }));
  }

  saveValues(values: ValueRow[]) {
    return this.#save(
      SAVE_VALUES,
      values,
      bytes((value) => value.blockHash),
      numbers((value) => value.ordinal),
      numbers((value) => value.usd),
    );
  }
}
