import { LRUCache } from "lru-cache";
import type { HeightRange } from "#lib/contract/coverage.ts";
import type { Address, OutPoint, TokenReference } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import * as common from "#lib/store/common-queries.ts";
import { alreadyStored } from "#lib/store/rules/batch.ts";
import { runAtOnce } from "#lib/store/rules/steps.ts";
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
import type { Database } from "./database.ts";
import { fromBlob, toAny, toBlob } from "./encoding.ts";

/** How many entries a cache holds. */
const CACHE_SIZE = 50_000;
/** Characters of the texts that are remembered: with longer ones, memory would depend on what the chain holds. */
const LONGEST_TEXT = 300;
const isShort = (...texts: string[]): boolean => texts.every(({ length }) => length <= LONGEST_TEXT);

interface CachedAddress {
  id: number;
  address: Address;
  firstHeight: number;
}

interface CachedToken {
  id: number;
  token: TokenReference;
}

type OutputColumns = {
  transaction_id: number;
  output_index: number;
  address_id: number;
  token_id: number;
  amount: string | null;
  capacity: string;
  kind: string | null;
  spent_transaction_id: number | null;
  spent_input_index: number | null;
};
const OUTPUT_COLUMNS = `o.transaction_id, o.output_index, o.address_id, o.token_id, CAST(o.amount AS TEXT) AS amount,
  CAST(o.capacity AS TEXT) AS capacity, o.kind, o.spent_transaction_id, o.spent_input_index`;

/**
 * The tables of one connection. What was read or written lately is remembered: the numbers of addresses and tokens,
 * and outputs while they are live, since most are spent soon after they are made. Each is looked up with `peek`, so
 * what was remembered first is forgotten first: to order entries by their use costs more (7 % of a sync) than to read
 * one again now and then.
 */
export class SqliteTables implements Tables {
  readonly #db: Database;
  #nativeId = "";
  /** By key and by number. */
  readonly #addresses = new LRUCache<string | number, CachedAddress>({ max: CACHE_SIZE });
  /** By asset id and by number. */
  readonly #tokens = new LRUCache<string | number, CachedToken>({ max: CACHE_SIZE });
  /** Live outputs by their transaction's hash and, in it, their index. */
  readonly #live = new LRUCache<string, (StoredOutput | undefined)[]>({
    maxSize: CACHE_SIZE,
    sizeCalculation: ({ length }) => 1 + length,
  });
  #versionOfOthers = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Must be called after a transaction was rolled back: what is remembered may never have been stored. */
  forget(): void {
    this.#addresses.clear();
    this.#tokens.clear();
    this.#live.clear();
  }

  /** Must be called before anything else is asked for: another process may have changed what is remembered. */
  freshen(): void {
    const version = this.#db.versionOfOthers;
    if (version !== this.#versionOfOthers) this.forget();
    this.#versionOfOthers = version;
  }

  /** What is known of each out point, in order. */
  outputsAt(outPoints: OutPoint[]): (StoredOutput | undefined)[] {
    return outPoints.map(
      (outPoint) =>
        this.#live.peek(outPoint.transactionHash)?.[outPoint.outputIndex] ?? this.#storedOutput(outPoint),
    );
  }

  #storedOutput({ transactionHash, outputIndex }: OutPoint): StoredOutput | undefined {
    // Most reads of a sync are this one: as an array of bigints it takes half as long as an object with texts.
    const row = this.#db.exactTuple<
      [
        transactionId: bigint,
        addressId: bigint,
        tokenId: bigint,
        amount: bigint | string | null,
        capacity: bigint | string,
        kind: string | null,
        spentBy: bigint | null,
      ]
    >(
      `SELECT o.transaction_id, o.address_id, o.token_id, o.amount, o.capacity, o.kind,
              o.spent_transaction_id
       FROM transactions x JOIN outputs o ON o.transaction_id = x.id AND o.output_index = ?
       WHERE x.hash = ?`,
      outputIndex,
      toBlob(transactionHash),
    );
    if (!row) return undefined;
    const [transactionId, addressId, tokenId, tokenAmount, nativeAmount, kind, spentBy] = row;
    const capacity = BigInt(nativeAmount);
    const output = {
      transactionId: Number(transactionId),
      address: this.#addressById(Number(addressId)).address,
      token: tokenAmount === null ? null : this.#tokenById(Number(tokenId)).token,
      amount: tokenAmount === null ? capacity : BigInt(tokenAmount),
      capacity,
      kind,
    };
    if (spentBy === null && isShort(output.address.text)) {
      const others = this.#live.peek(transactionHash);
      if (others) others[outputIndex] = output;
      else this.#live.set(transactionHash, sparse(outputIndex, output));
    }
    return output;
  }

  #rememberAddress(cached: CachedAddress): CachedAddress {
    if (!isShort(cached.address.text)) return cached;
    this.#addresses.set(cached.address.key, cached);
    this.#addresses.set(cached.id, cached);
    return cached;
  }

  #addressById(id: number): CachedAddress {
    const cached = this.#addresses.peek(id);
    if (cached) return cached;
    const row = this.#db.get<{ key: Uint8Array; text: string; first_height: number }>(
      "SELECT key, text, first_height FROM addresses WHERE id = ?",
      id,
    )!;
    const address = { key: fromBlob(row.key), text: row.text };
    return this.#rememberAddress({ id, address, firstHeight: row.first_height });
  }

  #address(key: string): CachedAddress {
    const cached = this.#addresses.peek(key);
    if (cached) return cached;
    const row = this.#db.get<{ id: number; text: string; first_height: number }>(
      "SELECT id, text, first_height FROM addresses WHERE key = ?",
      toBlob(key),
    )!;
    return this.#rememberAddress({
      id: row.id,
      address: { key, text: row.text },
      firstHeight: row.first_height,
    });
  }

  #rememberToken(cached: CachedToken): CachedToken {
    const { id, parentId, contentType } = cached.token;
    if (!isShort(id, parentId, contentType)) return cached;
    this.#tokens.set(id, cached);
    this.#tokens.set(cached.id, cached);
    return cached;
  }

  #tokenById(id: number): CachedToken {
    return this.#tokens.peek(id) ?? this.#readToken("id", id)!;
  }

  #token(assetId: string): CachedToken {
    return this.#tokens.peek(assetId) ?? this.#readToken("asset_id", assetId)!;
  }

  #readToken(column: "id" | "asset_id", value: number | string): CachedToken | undefined {
    const row = this.#db.get<{
      id: number;
      asset_id: string;
      standard: string;
      fungible: number;
      content_type: string;
      chain_parent_id: string;
    }>(
      `SELECT id, asset_id, standard, fungible, content_type, chain_parent_id FROM tokens WHERE ${column} = ?`,
      value,
    );
    if (!row) return undefined;
    const token = {
      id: row.asset_id,
      standard: row.standard,
      fungible: row.fungible === 1,
      parentId: row.chain_parent_id,
      contentType: row.content_type,
    };
    return this.#rememberToken({ id: row.id, token });
  }

  identity(): ChainIdentity | null {
    const identity = runAtOnce(common.identity(this.#db.shared));
    if (identity) this.#nativeId = identity.native.id;
    return identity;
  }

  addIdentity(identity: ChainIdentity): void {
    this.#db.run("INSERT INTO state (key, value) VALUES ('identity', ?)", JSON.stringify(identity));
    this.#db.run(
      `INSERT INTO tokens (asset_id, standard, fungible, content_type, chain_parent_id, supply)
       VALUES (?, 'native', 1, '', '', 0)`,
      identity.native.id,
    );
  }

  tip(): Tip | null {
    return runAtOnce(common.tip(this.#db.shared));
  }

  addGaps(gaps: HeightRange[]): void {
    runAtOnce(common.addGaps(this.#db.shared, gaps));
  }

  removeGapAt(height: number): HeightRange {
    return runAtOnce(common.removeGapAt(this.#db.shared, height));
  }

  removeGapsAbove(height: number): void {
    runAtOnce(common.removeGapsAbove(this.#db.shared, height));
  }

  blocksAt(heights: number[]) {
    return this.#db
      .all<{ height: number; hash: Uint8Array; parent_hash: Uint8Array }>(
        "SELECT height, hash, parent_hash FROM blocks WHERE height IN (SELECT value FROM json_each(?))",
        JSON.stringify(heights),
      )
      .map((row) => ({
        height: row.height,
        hash: fromBlob(row.hash),
        parentHash: fromBlob(row.parent_hash),
      }));
  }

  transactionIds(hashes: string[]): Map<string, number> {
    const rows = this.#db.all<{ hash: Uint8Array; id: number }>(
      "SELECT hash, id FROM transactions WHERE hash IN (SELECT unhex(substr(value, 3)) FROM json_each(?))",
      JSON.stringify(hashes),
    );
    return new Map(rows.map((row) => [fromBlob(row.hash), row.id]));
  }

  lowestTransactionId(): number {
    return this.#db.get<{ id: number | null }>("SELECT min(id) AS id FROM transactions")!.id ?? 0;
  }

  outputs(places: OutputPlace[]): OutputRow[] {
    return places.flatMap(({ transactionHash, transactionId, outputIndex }) => {
      const live = this.#live.peek(transactionHash)?.[outputIndex];
      if (!live)
        return this.#outputs("o.transaction_id = ? AND o.output_index = ?", transactionId, outputIndex);
      const { address, token, amount, capacity, kind } = live;
      return {
        transactionId,
        outputIndex,
        addressKey: address.key,
        assetId: token?.id ?? this.#nativeId,
        amount: token && amount,
        capacity,
        kind,
        spentBy: null,
        spentInput: null,
      };
    });
  }

  outputsOf(transactionIds: number[]): OutputRow[] {
    return transactionIds.flatMap((id) => this.#outputs("o.transaction_id = ?", id));
  }

  #outputs(condition: string, ...values: number[]): OutputRow[] {
    const rows = this.#db.all<OutputColumns>(
      `SELECT ${OUTPUT_COLUMNS} FROM outputs o WHERE ${condition}`,
      ...values,
    );
    return rows.map((row) => ({
      transactionId: row.transaction_id,
      outputIndex: row.output_index,
      addressKey: this.#addressById(row.address_id).address.key,
      assetId: this.#tokenById(row.token_id).token.id,
      amount: row.amount === null ? null : BigInt(row.amount),
      capacity: BigInt(row.capacity),
      kind: row.kind,
      spentBy: row.spent_transaction_id,
      spentInput: row.spent_input_index,
    }));
  }

  addTokens(assetIds: string[], references: Map<string, TokenReference>): string[] {
    const added: string[] = [];
    for (const assetId of assetIds) {
      if (this.#tokens.has(assetId) || this.#readToken("asset_id", assetId)) continue;
      const token = references.get(assetId)!;
      const { id } = this.#db.get<{ id: number }>(
        `INSERT INTO tokens (asset_id, standard, fungible, content_type, chain_parent_id, supply)
         VALUES (?, ?, ?, ?, ?, 0) RETURNING id`,
        assetId,
        token.standard,
        token.fungible ? 1 : 0,
        token.contentType,
        token.parentId,
      )!;
      this.#rememberToken({ id, token });
      added.push(assetId);
    }
    return added;
  }

  addBlocks(blocks: ResolvedBlock[]): void {
    for (const block of blocks) {
      const hash = toBlob(block.hash);
      this.#db.run(
        `INSERT INTO blocks (height, hash, parent_hash, timestamp, header_facts, transaction_count, change_count)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        block.height,
        hash,
        toBlob(block.parentHash),
        block.timestamp,
        block.headerFacts === null ? null : toBlob(block.headerFacts),
        block.transactions.length,
        block.changes.length,
      );
      this.#db.run("DELETE FROM abandoned_blocks WHERE hash = ?", hash);
      this.#db.run("DELETE FROM abandoned_touches WHERE hash = ?", hash);
    }
  }

  addTransactions(transactions: TransactionRecord[]): void {
    const insert = this.#db.prepared(
      "INSERT INTO transactions (id, hash) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
    );
    for (const { id, hash } of transactions) {
      if (insert.run(id, toBlob(hash)).changes > 0) continue;
      throw alreadyStored(hash, this.transactionIds([hash]).get(hash)!);
    }
  }

  moveTransactions(transactions: TransactionRecord[]): void {
    for (const { id, storedId } of transactions) {
      this.#db.run("UPDATE transactions SET id = ? WHERE id = ?", id, storedId!);
      this.#db.run("DELETE FROM outputs WHERE transaction_id = ?", storedId!);
    }
  }

  addAddresses(addresses: Map<string, { text: string; firstHeight: number }>): void {
    for (const [key, { text, firstHeight }] of addresses) {
      const cached = this.#addresses.peek(key);
      if (cached && cached.firstHeight <= firstHeight) continue;
      const row = this.#db.get<{ id: number; first_height: number }>(
        `INSERT INTO addresses (key, text, first_height) VALUES (?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET first_height = min(first_height, excluded.first_height)
         RETURNING id, first_height`,
        toBlob(key),
        text,
        firstHeight,
      )!;
      this.#rememberAddress({ id: row.id, address: { key, text }, firstHeight: row.first_height });
    }
  }

  addClaims(claims: ClaimRow[]): void {
    for (const claim of claims) {
      this.#db.run(
        `INSERT INTO claims (asset_id, transaction_id, output_index, name, symbol, decimals)
         VALUES (?, ?, ?, ?, ?, ?)`,
        claim.assetId,
        claim.transactionId,
        claim.outputIndex,
        claim.name,
        claim.symbol,
        claim.decimals,
      );
    }
  }

  addOutputs(outputs: Iterable<PlacedOutput>): void {
    const insert = this.#db.prepared(
      `INSERT INTO outputs (transaction_id, output_index, address_id, token_id, amount, capacity, kind,
                            spent_transaction_id, spent_input_index)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    let hash = "";
    let live: StoredOutput[] = [];
    const remember = () => {
      if (live.length > 0) this.#live.set(hash, live);
      live = [];
    };
    for (const output of outputs) {
      const { transactionHash, transactionId, outputIndex, amount, capacity, kind, spentBy } = output;
      const { id: addressId, address } = this.#address(output.addressKey);
      const { id: tokenId, token } = this.#token(output.assetId);
      insert.run(
        transactionId,
        outputIndex,
        addressId,
        tokenId,
        amount === null ? null : toAny(amount),
        toAny(capacity),
        kind,
        spentBy,
        output.spentInput,
      );
      if (spentBy !== null || !isShort(address.text)) continue;
      if (hash !== transactionHash) remember();
      hash = transactionHash;
      live[outputIndex] = {
        transactionId,
        address,
        token: amount === null ? null : token,
        amount: amount ?? capacity,
        capacity,
        kind,
      };
    }
    remember();
  }

  spendOutputs(outputs: Iterable<PlacedOutput>): void {
    const update = this.#db.prepared(
      `UPDATE outputs SET spent_transaction_id = ?, spent_input_index = ?
       WHERE transaction_id = ? AND output_index = ?`,
    );
    for (const { transactionHash, transactionId, outputIndex, spentBy, spentInput } of outputs) {
      update.run(spentBy, spentInput, transactionId, outputIndex);
      const live = this.#live.peek(transactionHash);
      if (live) live[outputIndex] = undefined;
    }
  }

  addToTokens(deltas: TokenDelta[]): void {
    for (const { assetId, supply, firstHeight, firstMint } of deltas) {
      const { id } = this.#token(assetId);
      const row = this.#db.get<{ supply: string; first: number | null; mint: number | null }>(
        `SELECT CAST(supply AS TEXT) AS supply, first_height AS first, first_mint_height AS mint
         FROM tokens WHERE id = ?`,
        id,
      )!;
      const first = lower(row.first, firstHeight);
      const mint = lower(row.mint, firstMint);
      if (supply === 0n && first === row.first && mint === row.mint) continue;
      this.#db.run(
        "UPDATE tokens SET supply = ?, first_height = ?, first_mint_height = ? WHERE id = ?",
        toAny(BigInt(row.supply) + supply),
        first,
        mint,
        id,
      );
    }
  }

  addToHoldings(deltas: HoldingDelta[]): void {
    const save = this.#db.prepared(
      `INSERT INTO holdings (address_id, token_id, output_count, amount, capacity) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (address_id, token_id)
       DO UPDATE SET output_count = excluded.output_count, amount = excluded.amount, capacity = excluded.capacity`,
    );
    for (const delta of deltas) {
      const addressId = this.#address(delta.addressKey).id;
      const tokenId = this.#token(delta.assetId).id;
      const [count, amount, capacity] = this.#db.exactTuple<[bigint, bigint | string, bigint | string]>(
        "SELECT output_count, amount, capacity FROM holdings WHERE address_id = ? AND token_id = ?",
        addressId,
        tokenId,
      ) ?? [0n, 0n, 0n];
      const left = Number(count) + delta.count;
      if (left === 0) {
        this.#db.run("DELETE FROM holdings WHERE address_id = ? AND token_id = ?", addressId, tokenId);
        continue;
      }
      save.run(
        addressId,
        tokenId,
        left,
        toAny(BigInt(amount) + delta.amount),
        toAny(BigInt(capacity) + delta.capacity),
      );
    }
  }

  addToKinds(deltas: KindDelta[]): void {
    for (const { addressKey, kind, ...delta } of deltas) {
      const place = [this.#address(addressKey).id, kind] as const;
      const [count, capacity] = this.#db.exactTuple<[bigint, bigint | string]>(
        "SELECT output_count, capacity FROM kinds WHERE address_id = ? AND kind = ?",
        ...place,
      ) ?? [0n, 0n];
      const left = Number(count) + delta.count;
      if (left === 0) this.#db.run("DELETE FROM kinds WHERE address_id = ? AND kind = ?", ...place);
      else {
        this.#db.run(
          "INSERT OR REPLACE INTO kinds (address_id, kind, output_count, capacity) VALUES (?, ?, ?, ?)",
          ...place,
          left,
          toAny(BigInt(capacity) + delta.capacity),
        );
      }
    }
  }

  addChanges(changes: ChangeRow[]): void {
    const insert = this.#db.prepared(
      "INSERT INTO asset_changes (height, ordinal, token_id, amount, amount_usd) VALUES (?, ?, ?, ?, ?)",
    );
    for (const { height, ordinal, assetId, amount, usd } of changes) {
      insert.run(height, ordinal, this.#token(assetId).id, toAny(amount), toAny(usd));
    }
  }

  highestBlocks(height: number, limit: number): Tip[] {
    return this.#db
      .all<{ height: number; hash: Uint8Array }>(
        "SELECT height, hash FROM blocks WHERE height > ? ORDER BY height DESC LIMIT ?",
        height,
        limit,
      )
      .map((row) => ({ height: row.height, hash: fromBlob(row.hash) }));
  }

  outputsSpentFrom(transactionId: number): OutputRow[] {
    return this.#outputs("o.spent_transaction_id >= ?", transactionId);
  }

  outputsCreatedFrom(transactionId: number): OutputRow[] {
    return this.#outputs("o.transaction_id >= ?", transactionId);
  }

  /** SQLite keeps the index of live outputs itself. */
  retract({ blocks, foreign }: Retraction): string[] {
    const { height } = blocks.at(-1)!;
    const from = firstId(height);
    this.#live.clear();
    this.#db.run("DELETE FROM outputs WHERE transaction_id >= ?", from);
    this.#db.run(
      `UPDATE outputs SET spent_transaction_id = NULL, spent_input_index = NULL
       WHERE spent_transaction_id >= ? AND transaction_id >= 0`,
      from,
    );
    this.#db.run("DELETE FROM outputs WHERE spent_transaction_id >= ?", from);
    for (const id of foreign) {
      this.#db.run(
        "DELETE FROM transactions WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM outputs WHERE transaction_id = ?1)",
        id,
      );
    }
    this.#db.run("DELETE FROM transactions WHERE id >= ?", from);
    const claims = this.#db.all<{ asset_id: string }>(
      "DELETE FROM claims WHERE transaction_id >= ? RETURNING asset_id",
      from,
    );
    this.#db.run("DELETE FROM asset_changes WHERE height >= ?", height);
    for (const block of blocks) {
      this.#db.run(
        `INSERT INTO abandoned_blocks (hash, height, parent_hash)
         SELECT hash, height, parent_hash FROM blocks WHERE height = ?`,
        block.height,
      );
      if (block.touched === null) continue;
      this.#db.run(
        "INSERT INTO abandoned_touches (hash, height, keys) VALUES (?, ?, ?)",
        toBlob(block.hash),
        block.height,
        toBlob(block.touched),
      );
    }
    this.#db.run("DELETE FROM abandoned_touches WHERE height < ?", height - REMEMBERED_BLOCKS);
    this.#db.run("DELETE FROM blocks WHERE height >= ?", height);
    return claims.map((claim) => claim.asset_id);
  }

  dropUnseen(height: number, addressKeys: string[], assetIds: string[], nativeId: string): void {
    for (const key of addressKeys) {
      this.#db.run("DELETE FROM addresses WHERE key = ? AND first_height > ?", toBlob(key), height);
    }
    for (const assetId of assetIds) {
      if (assetId !== nativeId) {
        this.#db.run("DELETE FROM tokens WHERE asset_id = ? AND first_height > ?", assetId, height);
      }
      this.#db.run(
        `UPDATE tokens SET first_height = iif(first_height <= ?2, first_height, NULL),
           first_mint_height = iif(first_mint_height <= ?2, first_mint_height, NULL)
         WHERE asset_id = ?1`,
        assetId,
        height,
      );
    }
    this.forget();
  }

  earliestClaims(assetIds: string[]): ClaimRow[] {
    return assetIds.flatMap((assetId) =>
      this.#db.all<Pick<ClaimRow, keyof ClaimRow>>(
        `SELECT asset_id AS assetId, transaction_id AS transactionId, output_index AS outputIndex, name, symbol, decimals
         FROM claims WHERE asset_id = ? ORDER BY transaction_id, output_index LIMIT 1`,
        assetId,
      ),
    );
  }

  membersOf(collectionIds: string[]): string[] {
    return this.#db
      .all<{ asset_id: string }>(
        `SELECT asset_id FROM tokens
         WHERE chain_parent_id IN (SELECT value FROM json_each(?)) AND chain_parent_id <> ''`,
        JSON.stringify(collectionIds),
      )
      .map((row) => row.asset_id);
  }

  namingFacts(assetIds: string[]): NamedToken[] {
    const earliestClaim = (id: string) =>
      `SELECT json_object('name', name, 'symbol', symbol, 'decimals', decimals) FROM claims WHERE asset_id = ${id}
       ORDER BY transaction_id, output_index LIMIT 1`;
    const rows = this.#db.all<{
      id: string;
      fungible: number;
      parent_id: string;
      decimals: number;
      claim: string | null;
      parent_claim: string | null;
      entry: string | null;
      pictured: number;
    }>(
      `SELECT t.asset_id AS id, t.fungible, t.chain_parent_id AS parent_id, t.decimals,
         (${earliestClaim("t.asset_id")}) AS claim,
         (${earliestClaim("t.chain_parent_id")}) AS parent_claim,
         (SELECT entry FROM registry r WHERE r.asset_id = t.asset_id) AS entry,
         EXISTS (SELECT 1 FROM icons i WHERE i.asset_id = t.asset_id) AS pictured
       FROM tokens t WHERE t.asset_id IN (SELECT value FROM json_each(?1))`,
      JSON.stringify(assetIds),
    );
    return rows.map((row) => ({
      id: row.id,
      fungible: row.fungible === 1,
      parentId: row.parent_id,
      decimals: row.decimals,
      claim: parsed(row.claim),
      parentClaim: parsed(row.parent_claim),
      entry: parsed(row.entry),
      hasPicture: row.pictured === 1,
    }));
  }

  saveNames(names: NameRow[]): void {
    for (const name of names) {
      this.#db.run(
        `UPDATE tokens SET layer = ?, parent_id = ?, name = ?, name_folded = ?, symbol = ?, decimals = ?, icon = ?,
                           description = ?, keywords = ?, public = ?, tags = ? WHERE asset_id = ?`,
        name.layer,
        name.parentId,
        name.name,
        name.foldedName,
        name.symbol,
        name.decimals,
        name.icon,
        name.description,
        name.keywords,
        name.public ? 1 : 0,
        JSON.stringify(name.tags),
        name.id,
      );
    }
  }

  listedAssets(): string[] {
    return this.#db
      .all<{ asset_id: string }>("SELECT asset_id FROM registry UNION SELECT asset_id FROM icons")
      .map((row) => row.asset_id);
  }

  replaceListing(entries: RegistryEntry[], icons: AssetIcon[]): void {
    this.#db.run("DELETE FROM registry");
    for (const entry of entries) {
      this.#db.run("INSERT INTO registry (asset_id, entry) VALUES (?, ?)", entry.id, JSON.stringify(entry));
    }
    this.#db.run("DELETE FROM icons");
    for (const { assetId, picture, etag } of icons) {
      this.#db.run("INSERT INTO icons (asset_id, picture, etag) VALUES (?, ?, ?)", assetId, picture, etag);
    }
  }

  pricesAt(asked: { assetId: string; time: number }[]) {
    type Pricing = { decimals: number; priced: number };
    const assets = new Map<string, Pricing>();
    return asked.map(({ assetId, time }) => {
      let asset = assets.get(assetId);
      if (!asset) {
        asset = this.#db.get<Pricing>(
          `SELECT decimals, EXISTS (SELECT 1 FROM prices p WHERE p.asset_id = t.asset_id) AS priced
           FROM tokens t WHERE asset_id = ?`,
          assetId,
        )!;
        assets.set(assetId, asset);
      }
      const row = asset.priced
        ? this.#db.get<{ usd: string }>(
            "SELECT usd FROM prices WHERE asset_id = ? AND time <= ? ORDER BY time DESC LIMIT 1",
            assetId,
            time,
          )
        : undefined;
      return { decimals: asset.decimals, usd: row ? BigInt(row.usd) : null };
    });
  }

  addPrices(prices: Price[]): Price[] {
    return prices.filter(
      ({ assetId, time, usd }) =>
        this.#db.run(
          `INSERT INTO prices (asset_id, time, usd) VALUES (?, ?, ?)
           ON CONFLICT (asset_id, time) DO UPDATE SET usd = excluded.usd WHERE usd <> excluded.usd`,
          assetId,
          time,
          usd.toString(),
        ) === 1,
    );
  }

  removePrices(assetId: string, from: number, to: number): number {
    return runAtOnce(common.removePrices(this.#db.shared, assetId, from, to));
  }

  pricesFrom(assetId: string, time: number) {
    return this.#db
      .all<{ time: number; usd: string }>(
        `SELECT time, usd FROM prices WHERE asset_id = ?1 AND time >= coalesce(
           (SELECT max(time) FROM prices WHERE asset_id = ?1 AND time <= ?2), ?2) ORDER BY time`,
        assetId,
        time,
      )
      .map((row) => ({ time: row.time, usd: BigInt(row.usd) }));
  }

  decimalsOf(assetId: string): number | undefined {
    return this.#db.get<{ decimals: number }>("SELECT decimals FROM tokens WHERE asset_id = ?", assetId)
      ?.decimals;
  }

  firstHeightFrom(time: number): number | null {
    return this.#db.get<{ height: number | null }>(
      "SELECT min(height) AS height FROM blocks INDEXED BY blocks_by_timestamp WHERE timestamp >= ?",
      time,
    )!.height;
  }

  changesOf(assetId: string, aboveHeight: number, time: number): DatedChange[] {
    return this.#db
      .all<{
        hash: Uint8Array;
        height: number;
        ordinal: number;
        amount: string;
        usd: string;
        timestamp: number;
      }>(
        `SELECT b.hash, c.height, c.ordinal, CAST(c.amount AS TEXT) AS amount, CAST(c.amount_usd AS TEXT) AS usd,
                b.timestamp
         FROM asset_changes c JOIN blocks b ON b.height = c.height
         WHERE c.token_id = ? AND c.height > ? AND b.timestamp >= ? ORDER BY c.height LIMIT 10000`,
        this.#token(assetId).id,
        aboveHeight,
        time,
      )
      .map(({ hash, amount, usd, ...place }) => ({
        ...place,
        blockHash: fromBlob(hash),
        amount: BigInt(amount),
        usd: BigInt(usd),
      }));
  }

  saveValues(values: ValueRow[]): void {
    for (const { usd, height, ordinal } of values) {
      this.#db.run(
        "UPDATE asset_changes SET amount_usd = ? WHERE height = ? AND ordinal = ?",
        toAny(usd),
        height,
        ordinal,
      );
    }
  }
}

function sparse<T>(index: number, value: T): T[] {
  const array: T[] = [];
  array[index] = value;
  return array;
}

/** The lower height; null if there is none. */
const lower = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

const parsed = <T>(json: string | null): T | null => (json === null ? null : (JSON.parse(json) as T));
