import { valueInUsd } from "#lib/contract/amounts.ts";
import {
  type Address,
  type OutPoint,
  type Output,
  outPointText,
  type TokenReference,
} from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import { priceInForce } from "#lib/store/price-in-force.ts";
import { foldCase, shownToken } from "#lib/store/rules/names.ts";
import {
  type AssetIcon,
  ChainConflictError,
  type ChainIdentity,
  type Price,
  type ResolvedBlock,
  type ResolvedInput,
  type ResolvedTransaction,
  type StoredOutput,
} from "#lib/store/store.ts";
import { heightOf, idRange, transactionId } from "#lib/store/transaction-id.ts";
import type { Database } from "./database.ts";
import { fromBlob, toAny, toBlob } from "./encoding.ts";
import { readHashAt, readIdentity, readTip } from "./reads.ts";
import { RecentMap } from "./recent-map.ts";

/**
 * How many keys of a kind, and how many outputs, are remembered between blocks; long texts count for several,
 * so that memory stays flat whatever the chain holds.
 */
const MANY = 25_000;
const LONG_TEXT = 300;
const weight = (text: string): number => 1 + Math.floor(text.length / LONG_TEXT);
const addressWeight = ({ text }: Address): number => weight(text);
const tokenWeight = ({ id, parentId, contentType }: TokenReference): number =>
  weight(id + parentId + contentType);

/** Stored already, with nothing to learn from a block at or above `firstHeight`. */
type Known<T> = { id: number; firstHeight: number; value: T };

type HoldingDelta = {
  addressId: number;
  tokenId: number;
  count: number;
  amount: bigint;
  capacity: bigint;
};

/** What a transaction changes in sums, gathered so that each sum is written once. */
class Deltas {
  readonly supply = new Map<number, bigint>();
  readonly #holdings = new Map<number, Map<number, HoldingDelta>>();
  readonly #nativeId: number;

  constructor(nativeId: number) {
    this.#nativeId = nativeId;
  }

  /** `sign` 1: the output becomes live; -1: it stops being live. `amount` null: a plain native output. */
  add(sign: 1 | -1, addressId: number, tokenId: number, amount: bigint | null, capacity: bigint): void {
    const signed = (value: bigint) => (sign === 1 ? value : -value);
    this.#supply(this.#nativeId, signed(capacity));
    if (tokenId !== this.#nativeId) this.#supply(tokenId, signed(amount ?? 0n));

    let tokens = this.#holdings.get(addressId);
    if (!tokens) {
      tokens = new Map();
      this.#holdings.set(addressId, tokens);
    }
    let sum = tokens.get(tokenId);
    if (!sum) {
      sum = { addressId, tokenId, count: 0, amount: 0n, capacity: 0n };
      tokens.set(tokenId, sum);
    }
    sum.count += sign;
    sum.amount += signed(amount ?? capacity);
    sum.capacity += signed(capacity);
  }

  *holdings(): Generator<HoldingDelta> {
    for (const tokens of this.#holdings.values()) yield* tokens.values();
  }

  #supply(tokenId: number, amount: bigint): void {
    this.supply.set(tokenId, (this.supply.get(tokenId) ?? 0n) + amount);
  }
}

/** Where an output is spent. */
interface Spending {
  transactionId: number;
  inputIndex: number;
}

/** A transaction of the blocks that are being stored. */
interface FreshTransaction {
  id: number;
  /** Its turn has come. Blocks may come in any order: one that spends, before the one that creates. */
  stored: boolean;
  /** By output, where one after it in the same blocks spends it: it is then stored as spent, and was never live. */
  spentWithin?: Map<number, Spending>;
}

/** All writing of chain data. One per connection: it remembers surrogate keys. */
export class Writer {
  readonly #db: Database;
  readonly #addresses = new RecentMap<string, Known<Address>>(MANY, ({ value }) => addressWeight(value));
  readonly #addressesById = new RecentMap<number, Address>(MANY, addressWeight);
  readonly #tokens = new RecentMap<string, Known<TokenReference>>(MANY, ({ value }) => tokenWeight(value));
  readonly #tokensById = new RecentMap<number, TokenReference>(MANY, tokenWeight);
  /** A height at or above which a mint of an asset is not its first. */
  readonly #mints = new RecentMap<string, number>(MANY);
  /** A height at or above which a block is not the first one. */
  #nativeKnownAt = Number.POSITIVE_INFINITY;
  /** The transactions of the blocks that are being stored, by hash. */
  #fresh = new Map<string, FreshTransaction>();
  /** By transaction hash. Most outputs are spent soon after they are made, and then need not be looked up. */
  readonly #recent = new RecentMap<string, StoredOutput[]>(MANY, (outputs) =>
    outputs.reduce((sum, { address }) => sum + addressWeight(address), 0),
  );

  constructor(db: Database) {
    this.#db = db;
  }

  /** Must be called after a transaction was rolled back: what was remembered may never have been stored. */
  forget(): void {
    this.#addresses.clear();
    this.#addressesById.clear();
    this.#tokens.clear();
    this.#tokensById.clear();
    this.#mints.clear();
    this.#recent.clear();
    this.#nativeKnownAt = Number.POSITIVE_INFINITY;
  }

  identify(identity: ChainIdentity): void {
    this.#db.transaction(() => {
      const stored = readIdentity(this.#db);
      if (!stored) {
        this.#db.run("INSERT INTO state (key, value) VALUES ('identity', ?)", JSON.stringify(identity));
        this.#db.run(
          `INSERT INTO tokens (asset_id, standard, fungible, content_type, chain_parent_id, supply)
           VALUES (?, 'native', 1, '', '', 0)`,
          identity.native.id,
        );
        this.#refreshTokens(new Set([identity.native.id]));
        return;
      }
      if (stored.network !== identity.network || stored.demo !== identity.demo) {
        const name = (chain: ChainIdentity) => (chain.demo ? "the demo chain" : chain.network);
        throw new ChainConflictError(
          `This database holds ${name(stored)}; ${name(identity)} cannot be mixed into it`,
        );
      }
    });
  }

  outputsAt(outPoints: OutPoint[]): (StoredOutput | undefined)[] {
    return outPoints.map(
      (outPoint) =>
        this.#recent.get(outPoint.transactionHash)?.[outPoint.outputIndex] ?? this.#storedOutput(outPoint),
    );
  }

  #storedOutput({ transactionHash, outputIndex }: OutPoint): StoredOutput | undefined {
    const row = this.#db.exactTuple<
      [
        transactionId: bigint,
        addressId: bigint,
        tokenId: bigint,
        amount: bigint | string | null,
        capacity: bigint | string,
      ]
    >(
      `SELECT o.transaction_id, o.address_id, o.token_id, o.amount, o.capacity
       FROM transactions x JOIN outputs o ON o.transaction_id = x.id AND o.output_index = ?
       WHERE x.hash = ?`,
      outputIndex,
      toBlob(transactionHash),
    );
    if (!row) return undefined;
    const [transactionId, addressId, tokenId, tokenAmount, nativeAmount] = row;
    const capacity = BigInt(nativeAmount);
    return {
      transactionId: Number(transactionId),
      address: this.#addressOf(Number(addressId)),
      token: tokenAmount === null ? null : this.#tokenOf(Number(tokenId)),
      amount: tokenAmount === null ? capacity : BigInt(tokenAmount),
      capacity,
    };
  }

  #addressOf(id: number): Address {
    const known = this.#addressesById.get(id);
    if (known) return known;
    const row = this.#db.get<{ key: Uint8Array; text: string }>(
      "SELECT key, text FROM addresses WHERE id = ?",
      id,
    )!;
    const address = { key: fromBlob(row.key), text: row.text };
    this.#addressesById.set(id, address);
    return address;
  }

  #tokenOf(id: number): TokenReference {
    const known = this.#tokensById.get(id);
    if (known) return known;
    const row = this.#db.get<{
      asset_id: string;
      standard: string;
      fungible: number;
      content_type: string;
      chain_parent_id: string;
    }>("SELECT asset_id, standard, fungible, content_type, chain_parent_id FROM tokens WHERE id = ?", id)!;
    const token = {
      id: row.asset_id,
      standard: row.standard,
      fungible: row.fungible === 1,
      parentId: row.chain_parent_id,
      contentType: row.content_type,
    };
    this.#tokensById.set(id, token);
    return token;
  }

  applyBlocks(blocks: ResolvedBlock[], extendTip: boolean): number {
    return this.#db.transaction(() => {
      const identity = readIdentity(this.#db);
      if (!identity) throw new Error("The database has no chain yet: call identify first");
      const nativeId = this.#tokenId(identity.native.id);
      const deltas = new Deltas(nativeId);
      const touched = new Set<string>();
      const fresh: ResolvedBlock[] = [];
      for (const block of blocks) {
        if (!this.#fits(block, extendTip)) continue;
        this.#insertBlock(block);
        fresh.push(block);
      }
      this.#fresh = spentWithin(fresh);
      for (const block of fresh) this.#insertTransactions(block, nativeId, deltas, touched);
      this.#writeDeltas(deltas);
      // Names and decimals first: the value of a change depends on its asset's decimals.
      this.#refreshTokens(touched);
      const assets = new Map<string, Asset>();
      for (const block of fresh) this.#insertChanges(block, assets);
      return fresh.length;
    });
  }

  /** False where the block is stored already; throws where it contradicts what is stored. */
  #fits(block: ResolvedBlock, extendTip: boolean): boolean {
    const { height, hash, parentHash } = block;
    const here = readHashAt(this.#db, height);
    if (here === hash) return false;
    if (here !== null) {
      throw new ChainConflictError(`Block ${hash} cannot be stored: height ${height} already holds ${here}`);
    }
    const below = readHashAt(this.#db, height - 1);
    if (below !== null && below !== parentHash) {
      throw new ChainConflictError(
        `Block ${height} (${hash}) names ${parentHash} as its parent, but height ${height - 1} holds ${below}`,
      );
    }
    const above = this.#db.get<{ parent_hash: Uint8Array }>(
      "SELECT parent_hash FROM blocks WHERE height = ?",
      height + 1,
    );
    if (above && fromBlob(above.parent_hash) !== hash) {
      throw new ChainConflictError(
        `Block ${height} (${hash}) is not the parent that the stored block ${height + 1} names`,
      );
    }
    const tip = extendTip ? readTip(this.#db) : null;
    if (tip && (tip.height !== height - 1 || tip.hash !== parentHash)) {
      throw new ChainConflictError(
        `Block ${height} (${hash}) does not follow the tip, block ${tip.height} (${tip.hash})`,
      );
    }
    return true;
  }

  #insertBlock(block: ResolvedBlock): void {
    this.#db.run(
      `INSERT INTO blocks (height, hash, parent_hash, timestamp, transaction_count, change_count)
       VALUES (?, ?, ?, ?, ?, ?)`,
      block.height,
      toBlob(block.hash),
      toBlob(block.parentHash),
      block.timestamp,
      block.transactions.length,
      block.changes.length,
    );
    this.#db.run("DELETE FROM abandoned_blocks WHERE hash = ?", toBlob(block.hash));
  }

  #insertTransactions(block: ResolvedBlock, nativeId: number, deltas: Deltas, touched: Set<string>): void {
    for (const transaction of block.transactions) {
      const fresh = this.#fresh.get(transaction.hash)!;
      const { id, spentWithin } = fresh;
      const wasForeign = this.#insertTransaction(id, transaction.hash);
      fresh.stored = true;
      const outputs: StoredOutput[] = [];
      for (const [outputIndex, output] of transaction.outputs.entries()) {
        const { amount, capacity } = output;
        this.#knownAt(nativeId, block.height);
        const address = this.#knowAddress(output.address, block.height);
        const token = output.token && this.#knowToken(output.token, block.height, touched);
        outputs.push({
          address: address.value,
          token: token?.value ?? null,
          amount,
          capacity,
          transactionId: id,
        });
        const addressId = address.id;
        const tokenId = token ? token.id : nativeId;
        const spending = spentWithin?.get(outputIndex);
        if (wasForeign && this.#confirmForeign(id, outputIndex, addressId, tokenId, output)) {
          if (!spending) continue;
          const outPoint = { transactionHash: transaction.hash, outputIndex };
          throw misspent(heightOf(spending.transactionId), outPoint, "is already spent");
        }
        this.#insertOutput(id, outputIndex, addressId, tokenId, output, spending);
        if (spending) continue;
        deltas.add(1, addressId, tokenId, token ? amount : null, capacity);
      }
      for (const [inputIndex, input] of transaction.inputs.entries()) {
        const spending = { transactionId: id, inputIndex };
        this.#spend(input, spending, block.height, nativeId, deltas, touched);
      }
      this.#insertClaims(id, transaction, touched);
      for (const assetId of transaction.minted) this.#noteMint(assetId, block.height);
      this.#recent.set(transaction.hash, outputs);
    }
  }

  #noteMint(assetId: string, height: number): void {
    const noted = this.#mints.get(assetId);
    if (noted !== undefined && noted <= height) return;
    this.#db.run(
      "UPDATE tokens SET first_mint_height = min(coalesce(first_mint_height, ?1), ?1) WHERE asset_id = ?2",
      height,
      assetId,
    );
    this.#mints.set(assetId, height);
  }

  /** True where the transaction was known before, through outputs that indexed blocks spend. */
  #insertTransaction(id: number, hash: string): boolean {
    const insert = this.#db.prepared(
      "INSERT INTO transactions (id, hash) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
    );
    if (insert.run(id, toBlob(hash)).changes === 1) return false;
    const known = this.#transactionId(hash)!;
    if (known >= 0) {
      throw new ChainConflictError(`Transaction ${hash} is already stored, in block ${heightOf(known)}`);
    }
    this.#db.run("UPDATE transactions SET id = ? WHERE id = ?", id, known);
    this.#db.run("UPDATE outputs SET transaction_id = ? WHERE transaction_id = ?", id, known);
    return true;
  }

  /**
   * An output whose spending was stored before its creation: true where it is there, and then it must be
   * what it was said to be.
   */
  #confirmForeign(
    id: number,
    outputIndex: number,
    addressId: number,
    tokenId: number,
    output: Output,
  ): boolean {
    const row = this.#db.get<LiveRow & { spent_transaction_id: number }>(
      `SELECT ${LIVE_COLUMNS}, spent_transaction_id
       FROM outputs WHERE transaction_id = ? AND output_index = ?`,
      id,
      outputIndex,
    );
    if (!row) return false;
    const same =
      row.address_id === addressId &&
      row.token_id === tokenId &&
      (row.amount ?? row.capacity) === output.amount.toString() &&
      row.capacity === output.capacity.toString();
    if (!same || row.spent_transaction_id <= id) {
      const fault = same
        ? "comes after the transaction that spends it"
        : "differs from what was given for it when it was spent";
      throw new ChainConflictError(`Block ${heightOf(id)}: output ${outputIndex} of a transaction ${fault}`);
    }
    return true;
  }

  #insertOutput(
    id: number,
    outputIndex: number,
    addressId: number,
    tokenId: number,
    output: Output,
    spending: Spending | undefined,
  ): void {
    const insert = this.#db.prepared(
      `INSERT INTO outputs (transaction_id, output_index, address_id, token_id, amount, capacity,
                            spent_transaction_id, spent_input_index)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    insert.run(
      id,
      outputIndex,
      addressId,
      tokenId,
      output.token ? toAny(output.amount) : null,
      toAny(output.capacity),
      spending?.transactionId ?? null,
      spending?.inputIndex ?? null,
    );
  }

  #spend(
    input: ResolvedInput,
    spending: Spending,
    height: number,
    nativeId: number,
    deltas: Deltas,
    touched: Set<string>,
  ): void {
    const { outPoint, output } = input;
    // What the store already held was not made by these blocks.
    const fresh = input.transactionId === undefined ? this.#fresh.get(outPoint.transactionHash) : undefined;
    const within = fresh?.spentWithin?.get(outPoint.outputIndex);
    if (within?.transactionId === spending.transactionId && within.inputIndex === spending.inputIndex) return;
    if (within) throw misspent(height, outPoint, "is already spent");

    this.#knownAt(nativeId, height);
    const addressId = this.#knowAddress(output.address, height).id;
    const tokenId = output.token ? this.#knowToken(output.token, height, touched).id : nativeId;
    let createdBy =
      input.transactionId ?? (fresh?.stored ? fresh.id : this.#transactionId(outPoint.transactionHash));
    if (createdBy !== undefined) {
      const spend = this.#db.prepared(
        `UPDATE outputs SET spent_transaction_id = ?, spent_input_index = ?
         WHERE transaction_id = ? AND output_index = ? AND spent_transaction_id IS NULL`,
      );
      const { transactionId, inputIndex } = spending;
      if (spend.run(transactionId, inputIndex, createdBy, outPoint.outputIndex).changes === 1) {
        deltas.add(-1, addressId, tokenId, output.token ? output.amount : null, output.capacity);
        return;
      }
      const exists = this.#db.get(
        "SELECT 1 FROM outputs WHERE transaction_id = ? AND output_index = ?",
        createdBy,
        outPoint.outputIndex,
      );
      if (exists) throw misspent(height, outPoint, "is already spent");
      if (createdBy >= 0) throw misspent(height, outPoint, "does not exist");
    } else {
      const lowest = this.#db.get<{ id: number | null }>("SELECT min(id) AS id FROM transactions")!.id ?? 0;
      createdBy = Math.min(lowest, 0) - 1;
      this.#db.run(
        "INSERT INTO transactions (id, hash) VALUES (?, ?)",
        createdBy,
        toBlob(outPoint.transactionHash),
      );
    }
    this.#insertOutput(createdBy, outPoint.outputIndex, addressId, tokenId, output, spending);
  }

  #transactionId(hash: string): number | undefined {
    return this.#db.get<{ id: number }>("SELECT id FROM transactions WHERE hash = ?", toBlob(hash))?.id;
  }

  #knowAddress(address: Address, height: number): Known<Address> {
    const known = this.#addresses.get(address.key);
    if (known && known.firstHeight <= height) return known;
    const row = this.#db.get<{ id: number; first_height: number }>(
      `INSERT INTO addresses (key, text, first_height) VALUES (?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET first_height = min(first_height, excluded.first_height)
       RETURNING id, first_height`,
      toBlob(address.key),
      address.text,
      height,
    )!;
    const learnt = { id: row.id, firstHeight: row.first_height, value: address };
    this.#addresses.set(address.key, learnt);
    this.#addressesById.set(row.id, address);
    return learnt;
  }

  #knowToken(token: TokenReference, height: number, touched: Set<string>): Known<TokenReference> {
    const known = this.#tokens.get(token.id);
    if (known && known.firstHeight <= height) return known;
    const row = this.#db.get<{ id: number; first_height: number }>(
      `INSERT INTO tokens (asset_id, standard, fungible, content_type, chain_parent_id, first_height, supply)
       VALUES (?, ?, ?, ?, ?, ?, 0)
       ON CONFLICT (asset_id) DO UPDATE SET first_height = min(first_height, excluded.first_height)
       RETURNING id, first_height`,
      token.id,
      token.standard,
      token.fungible ? 1 : 0,
      token.contentType,
      token.parentId,
      height,
    )!;
    touched.add(token.id);
    const learnt = { id: row.id, firstHeight: row.first_height, value: this.#tokenOf(row.id) };
    this.#tokens.set(token.id, learnt);
    return learnt;
  }

  /** The native asset is known before any block; its first block is noted when it comes. */
  #knownAt(nativeId: number, height: number): void {
    if (this.#nativeKnownAt <= height) return;
    const row = this.#db.get<{ first_height: number }>(
      `UPDATE tokens SET first_height = min(coalesce(first_height, ?1), ?1) WHERE id = ?2 RETURNING first_height`,
      height,
      nativeId,
    )!;
    this.#nativeKnownAt = row.first_height;
  }

  #tokenId(assetId: string): number {
    return this.#db.get<{ id: number }>("SELECT id FROM tokens WHERE asset_id = ?", assetId)!.id;
  }

  #insertClaims(id: number, transaction: ResolvedTransaction, touched: Set<string>): void {
    for (const claim of transaction.claims) {
      this.#db.run(
        `INSERT INTO claims (asset_id, transaction_id, output_index, name, symbol, decimals)
         VALUES (?, ?, ?, ?, ?, ?)`,
        claim.assetId,
        id,
        claim.outputIndex,
        claim.name,
        claim.symbol,
        claim.decimals,
      );
      touched.add(claim.assetId);
    }
  }

  /** @param assets what is known of each asset, kept from one block of a batch to the next */
  #insertChanges(block: ResolvedBlock, assets: Map<string, Asset>): void {
    for (const [ordinal, change] of block.changes.entries()) {
      let asset = assets.get(change.assetId);
      if (!asset) {
        asset = this.#db.get<Asset>(
          `SELECT id, decimals, EXISTS (SELECT 1 FROM prices p WHERE p.asset_id = t.asset_id) AS priced
           FROM tokens t WHERE asset_id = ?`,
          change.assetId,
        )!;
        assets.set(change.assetId, asset);
      }
      const price = asset.priced ? this.#priceAt(change.assetId, block.timestamp) : null;
      const insert = this.#db.prepared(
        "INSERT INTO asset_changes (height, ordinal, token_id, amount, amount_usd) VALUES (?, ?, ?, ?, ?)",
      );
      insert.run(
        block.height,
        ordinal,
        asset.id,
        toAny(change.amount),
        toAny(price === null ? 0n : valueInUsd(change.amount, asset.decimals, price)),
      );
    }
  }

  /** The latest price at or before `time`; null where there is none. */
  #priceAt(assetId: string, time: number): bigint | null {
    const row = this.#db.get<{ usd: string }>(
      "SELECT usd FROM prices WHERE asset_id = ? AND time <= ? ORDER BY time DESC LIMIT 1",
      assetId,
      time,
    );
    return row ? BigInt(row.usd) : null;
  }

  #writeDeltas(deltas: Deltas): void {
    for (const [tokenId, delta] of deltas.supply) {
      if (delta === 0n) continue;
      const row = this.#db.get<{ supply: string }>(
        "SELECT CAST(supply AS TEXT) AS supply FROM tokens WHERE id = ?",
        tokenId,
      )!;
      this.#db.run("UPDATE tokens SET supply = ? WHERE id = ?", toAny(BigInt(row.supply) + delta), tokenId);
    }
    for (const delta of deltas.holdings()) {
      if (delta.count === 0 && delta.amount === 0n && delta.capacity === 0n) continue;
      const { addressId, tokenId } = delta;
      const row = this.#db.get<{ output_count: number; amount: string; capacity: string }>(
        `SELECT output_count, CAST(amount AS TEXT) AS amount, CAST(capacity AS TEXT) AS capacity
         FROM holdings WHERE address_id = ? AND token_id = ?`,
        addressId,
        tokenId,
      );
      const count = (row?.output_count ?? 0) + delta.count;
      if (count === 0) {
        this.#db.run("DELETE FROM holdings WHERE address_id = ? AND token_id = ?", addressId, tokenId);
        continue;
      }
      this.#db.run(
        `INSERT INTO holdings (address_id, token_id, output_count, amount, capacity) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (address_id, token_id)
         DO UPDATE SET output_count = excluded.output_count, amount = excluded.amount, capacity = excluded.capacity`,
        addressId,
        tokenId,
        count,
        toAny(BigInt(row?.amount ?? 0) + delta.amount),
        toAny(BigInt(row?.capacity ?? 0) + delta.capacity),
      );
    }
  }

  /** Brings what the given assets, and the tokens of the given collections, are called up to date. */
  #refreshTokens(assetIds: Set<string>): void {
    const identity = readIdentity(this.#db)!;
    for (const assetId of assetIds) {
      this.#refreshToken(assetId, identity);
      const children = this.#db.all<{ asset_id: string }>(
        "SELECT asset_id FROM tokens WHERE chain_parent_id = ? AND chain_parent_id <> ''",
        assetId,
      );
      for (const child of children) this.#refreshToken(child.asset_id, identity);
    }
  }

  #refreshToken(assetId: string, identity: ChainIdentity): void {
    const token = this.#db.get<{ id: number; fungible: number; chain_parent_id: string; decimals: number }>(
      "SELECT id, fungible, chain_parent_id, decimals FROM tokens WHERE asset_id = ?",
      assetId,
    );
    if (!token) return;
    const shown = shownToken(
      {
        id: assetId,
        parentId: token.chain_parent_id,
        fungible: token.fungible === 1,
        native: assetId === identity.native.id ? identity.native : null,
      },
      this.#earliestClaim(assetId),
      token.chain_parent_id === "" ? undefined : this.#earliestClaim(token.chain_parent_id),
      this.#registryEntry(assetId),
      this.#db.get("SELECT 1 FROM icons WHERE asset_id = ?", assetId) !== undefined,
    );
    this.#db.run(
      `UPDATE tokens SET layer = ?, parent_id = ?, name = ?, name_folded = ?, symbol = ?, decimals = ?, icon = ?,
                         description = ?, keywords = ?, public = ?, tags = ? WHERE id = ?`,
      shown.layer,
      shown.parentId,
      shown.name,
      foldCase(shown.name),
      shown.symbol,
      shown.decimals,
      shown.icon,
      shown.description,
      shown.keywords,
      shown.public ? 1 : 0,
      JSON.stringify(shown.tags),
      token.id,
    );
    if (shown.decimals !== token.decimals) this.#revalue(assetId, 0);
  }

  #earliestClaim(assetId: string) {
    return this.#db.get<{ name: string; symbol: string; decimals: number | null }>(
      "SELECT name, symbol, decimals FROM claims WHERE asset_id = ? ORDER BY transaction_id, output_index LIMIT 1",
      assetId,
    );
  }

  #registryEntry(assetId: string): RegistryEntry | undefined {
    const row = this.#db.get<{ entry: string }>("SELECT entry FROM registry WHERE asset_id = ?", assetId);
    return row && (JSON.parse(row.entry) as RegistryEntry);
  }

  /** Values the asset's changes anew, in blocks from `time` on. */
  #revalue(assetId: string, time: number): void {
    const token = this.#db.get<{ id: number; decimals: number }>(
      "SELECT id, decimals FROM tokens WHERE asset_id = ?",
      assetId,
    );
    if (!token) return;
    const prices = this.#db
      .all<{ time: number; usd: string }>(
        `SELECT time, usd FROM prices WHERE asset_id = ?1 AND time >= coalesce(
           (SELECT max(time) FROM prices WHERE asset_id = ?1 AND time <= ?2), ?2) ORDER BY time`,
        assetId,
        time,
      )
      .map((price) => ({ time: price.time, usd: BigInt(price.usd) }));
    const { first } = this.#db.get<{ first: number | null }>(
      "SELECT min(height) AS first FROM blocks INDEXED BY blocks_by_timestamp WHERE timestamp >= ?",
      time,
    )!;
    if (first === null) return;
    // A batch at a time: the native asset has a change in every block.
    let after = first - 1;
    for (;;) {
      const changes = this.#changesOf(token.id, after, time);
      if (changes.length === 0) return;
      after = changes.at(-1)!.height;
      this.#revalueBatch(changes, token.decimals, prices);
    }
  }

  #changesOf(tokenId: number, afterHeight: number, time: number): ValuedChange[] {
    return this.#db.all<ValuedChange>(
      `SELECT c.height, c.ordinal, CAST(c.amount AS TEXT) AS amount, CAST(c.amount_usd AS TEXT) AS usd, b.timestamp
       FROM asset_changes c JOIN blocks b ON b.height = c.height
       WHERE c.token_id = ? AND c.height > ? AND b.timestamp >= ? ORDER BY c.height LIMIT 10000`,
      tokenId,
      afterHeight,
      time,
    );
  }

  #revalueBatch(changes: ValuedChange[], decimals: number, prices: { time: number; usd: bigint }[]): void {
    for (const change of changes) {
      const price = priceInForce(prices, change.timestamp);
      const usd = price === undefined ? 0n : valueInUsd(BigInt(change.amount), decimals, price);
      if (usd.toString() === change.usd) continue;
      this.#db.run(
        "UPDATE asset_changes SET amount_usd = ? WHERE height = ? AND ordinal = ?",
        toAny(usd),
        change.height,
        change.ordinal,
      );
    }
  }

  revertTo(height: number): number {
    return this.#db.transaction(() => {
      const nativeId = this.#db.get<{ id: number }>("SELECT id FROM tokens WHERE standard = 'native'")?.id;
      if (nativeId === undefined) return 0;
      const heights = this.#db.all<{ height: number }>(
        "SELECT height FROM blocks WHERE height > ? ORDER BY height DESC",
        height,
      );
      const deltas = new Deltas(nativeId);
      const touched = new Set<string>();
      for (const block of heights) this.#revertBlock(block.height, deltas, touched);
      this.#writeDeltas(deltas);
      this.forget();
      this.#dropUnknown(height, nativeId, deltas);
      if (touched.size > 0) this.#refreshTokens(touched);
      return heights.length;
    });
  }

  #revertBlock(height: number, deltas: Deltas, touched: Set<string>): void {
    const range = idRange(height);
    const spent = this.#db.all<LiveRow>(
      `SELECT ${LIVE_COLUMNS} FROM outputs WHERE spent_transaction_id >= ? AND spent_transaction_id < ?`,
      ...range,
    );
    for (const row of spent) {
      // One that came from outside was never live here; it is only mentioned.
      addRow(deltas, 1, row);
      if (row.transaction_id < 0) addRow(deltas, -1, row);
    }
    this.#db.run(
      `UPDATE outputs SET spent_transaction_id = NULL, spent_input_index = NULL
       WHERE spent_transaction_id >= ? AND spent_transaction_id < ? AND transaction_id >= 0`,
      ...range,
    );
    // What came from outside was known only because this block spends it.
    this.#db.run(
      "DELETE FROM outputs WHERE spent_transaction_id >= ? AND spent_transaction_id < ?",
      ...range,
    );
    for (const row of spent) {
      if (row.transaction_id >= 0) continue;
      this.#db.run(
        "DELETE FROM transactions WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM outputs WHERE transaction_id = ?1)",
        row.transaction_id,
      );
    }

    const created = this.#db.all<LiveRow>(
      `SELECT ${LIVE_COLUMNS} FROM outputs WHERE transaction_id >= ? AND transaction_id < ?`,
      ...range,
    );
    for (const row of created) addRow(deltas, -1, row);
    this.#db.run("DELETE FROM outputs WHERE transaction_id >= ? AND transaction_id < ?", ...range);

    const claimed = this.#db.all<{ asset_id: string }>(
      "SELECT asset_id FROM claims WHERE transaction_id >= ? AND transaction_id < ?",
      ...range,
    );
    for (const claim of claimed) touched.add(claim.asset_id);
    this.#db.run("DELETE FROM claims WHERE transaction_id >= ? AND transaction_id < ?", ...range);
    this.#db.run("DELETE FROM asset_changes WHERE height = ?", height);
    this.#db.run("DELETE FROM transactions WHERE id >= ? AND id < ?", ...range);
    this.#db.run(
      "INSERT INTO abandoned_blocks (hash, height, parent_hash) SELECT hash, height, parent_hash FROM blocks WHERE height = ?",
      height,
    );
    this.#db.run("DELETE FROM blocks WHERE height = ?", height);
  }

  /** Addresses and tokens that only the reverted blocks mention were never seen on the chain that remains. */
  #dropUnknown(height: number, nativeId: number, mentioned: Deltas): void {
    for (const { addressId, tokenId } of mentioned.holdings()) {
      this.#db.run("DELETE FROM addresses WHERE id = ? AND first_height > ?", addressId, height);
      this.#db.run(
        "UPDATE tokens SET first_mint_height = NULL WHERE id = ? AND first_mint_height > ?",
        tokenId,
        height,
      );
      if (tokenId !== nativeId)
        this.#db.run("DELETE FROM tokens WHERE id = ? AND first_height > ?", tokenId, height);
    }
    this.#db.run(
      "UPDATE tokens SET first_mint_height = NULL WHERE id = ? AND first_mint_height > ?",
      nativeId,
      height,
    );
    this.#db.run("UPDATE tokens SET first_height = NULL WHERE id = ? AND first_height > ?", nativeId, height);
  }

  replaceRegistry(entries: RegistryEntry[], icons: AssetIcon[]): void {
    this.#db.transaction(() => {
      const before = this.#db
        .all<{ asset_id: string }>("SELECT asset_id FROM registry UNION SELECT asset_id FROM icons")
        .map((row) => row.asset_id);
      this.#db.run("DELETE FROM registry");
      for (const entry of entries) {
        this.#db.run("INSERT INTO registry (asset_id, entry) VALUES (?, ?)", entry.id, JSON.stringify(entry));
      }
      this.#db.run("DELETE FROM icons");
      for (const { assetId, picture, etag } of icons) {
        this.#db.run("INSERT INTO icons (asset_id, picture, etag) VALUES (?, ?, ?)", assetId, picture, etag);
      }
      const after = [...entries.map((entry) => entry.id), ...icons.map((icon) => icon.assetId)];
      if (readIdentity(this.#db)) this.#refreshTokens(new Set([...before, ...after]));
    });
  }

  loadPrices(prices: Price[]): void {
    this.#db.transaction(() => {
      const earliest = new Map<string, number>();
      for (const { assetId, time, usd } of prices) {
        this.#db.run(
          `INSERT INTO prices (asset_id, time, usd) VALUES (?, ?, ?)
           ON CONFLICT (asset_id, time) DO UPDATE SET usd = excluded.usd`,
          assetId,
          time,
          usd.toString(),
        );
        earliest.set(assetId, Math.min(earliest.get(assetId) ?? time, time));
      }
      for (const [assetId, time] of earliest) this.#revalue(assetId, time);
    });
  }
}

/** The transactions of the blocks, in the given order, with those outputs that one after them spends. */
function spentWithin(blocks: ResolvedBlock[]): Map<string, FreshTransaction> {
  const made = new Map<string, FreshTransaction & { outputs: number }>();
  for (const { height, transactions } of blocks) {
    for (const [index, { hash, inputs, outputs }] of transactions.entries()) {
      const id = transactionId(height, index);
      for (const [inputIndex, { outPoint, transactionId: stored }] of inputs.entries()) {
        const parent = stored === undefined ? made.get(outPoint.transactionHash) : undefined;
        if (!parent || outPoint.outputIndex >= parent.outputs) continue;
        parent.spentWithin ??= new Map();
        if (parent.spentWithin.has(outPoint.outputIndex)) continue;
        parent.spentWithin.set(outPoint.outputIndex, { transactionId: id, inputIndex });
      }
      made.set(hash, { id, stored: false, outputs: outputs.length });
    }
  }
  return made;
}

function misspent(height: number, outPoint: OutPoint, fault: string) {
  return new ChainConflictError(`Block ${height}: output ${outPointText(outPoint)} ${fault}`);
}

type Asset = { id: number; decimals: number; priced: number };

type ValuedChange = { height: number; ordinal: number; amount: string; usd: string; timestamp: number };

const LIVE_COLUMNS =
  "transaction_id, address_id, token_id, CAST(amount AS TEXT) AS amount, CAST(capacity AS TEXT) AS capacity";
type LiveRow = {
  transaction_id: number;
  address_id: number;
  token_id: number;
  amount: string | null;
  capacity: string;
};

function addRow(deltas: Deltas, sign: 1 | -1, row: LiveRow): void {
  const amount = row.amount === null ? null : BigInt(row.amount);
  deltas.add(sign, row.address_id, row.token_id, amount, BigInt(row.capacity));
}
