import type { SQLInputValue } from "node:sqlite";
import { LRUCache } from "lru-cache";
import type { Address, OutPoint, TokenReference } from "#lib/contract/ledger.ts";
import { identity } from "#lib/store/common-queries.ts";
import {
  ADDRESSES,
  INSERT_OUTPUTS,
  OUTPUTS_AT,
  type OutputWithNames,
  SPEND_OUTPUTS,
  TOKEN_FACTS,
  type TokenFacts,
  tokenIds,
  toOutputRow,
  toToken,
} from "#lib/store/outputs.ts";
import {
  type ColumnType,
  type ColumnValues,
  insertInto,
  type RowStatement,
} from "#lib/store/row-statement.ts";
import type { StoredOutput } from "#lib/store/rows.ts";
import type { OutputPlace, OutputRow, PlacedOutput } from "#lib/store/rules/rows.ts";
import { done, runAtOnce, type Steps } from "#lib/store/rules/steps.ts";
import type { Writer } from "#lib/store/rules/writer.ts";
import { type Connection, toHex, transactionWith } from "#lib/store/statement.ts";
import type { Database } from "./database.ts";
import { toAny, toBlob } from "./encoding.ts";

const CACHE_SIZE = 50_000;
/** Maximum length of texts that are cached, in characters: with longer ones, an attacker could fill the memory. */
const LONGEST_TEXT = 300;
const isShort = (...texts: string[]): boolean => texts.every(({ length }) => length <= LONGEST_TEXT);

type Encode = (value: unknown) => SQLInputValue;

interface CachedAddress {
  id: number;
  address: Address;
  firstHeight: number;
}

interface CachedToken {
  id: number;
  token: TokenReference;
}

const ADD_ADDRESSES = insertInto(
  ADDRESSES,
  ({ sql }) => `UPDATE SET first_height = ${sql.least("addresses.first_height", "excluded.first_height")}
    RETURNING id, first_height AS "firstHeight"`,
);
type AddedAddress = Omit<CachedAddress, "address">;

// This look-up numbers its values by hand and bypasses `Statement`: a sync makes one for nearly every input.
const STORED_OUTPUT = `SELECT o.transaction_id, o.address_id, o.token_id, o.amount, o.capacity, o.kind, o.spent_transaction_id
  FROM outputs o WHERE o.transaction_id = ${transactionWith("?1")} AND o.output_index = ?2`;
type StoredTuple = [
  transactionId: bigint,
  addressId: bigint,
  tokenId: bigint,
  amount: bigint | string | null,
  capacity: bigint | string,
  kind: string,
  spentBy: bigint | null,
];

/**
 * The tables of one connection. It caches the numbers of addresses and tokens, and live outputs, because most are spent soon.
 * Look-ups use `peek`, so the oldest entry is evicted first: to order entries by use would cost 7 % of a sync.
 */
export class SqliteWriter implements Writer {
  readonly db: Connection;
  readonly #db: Database;
  #nativeId = "";
  /** Keyed by key and by id. */
  readonly #addresses = new LRUCache<string | number, CachedAddress>({ max: CACHE_SIZE });
  /** Keyed by asset id and by the table's id. */
  readonly #tokens = new LRUCache<string | number, CachedToken>({ max: CACHE_SIZE });
  /** Live outputs by their transaction's hash and, in it, their index. */
  readonly #live = new LRUCache<string, (StoredOutput | undefined)[]>({
    maxSize: CACHE_SIZE,
    sizeCalculation: ({ length }) => 1 + length,
  });
  /** The values of the last row: many rows of a statement share them. */
  #lastAddress: CachedAddress | undefined;
  #lastBlob: { hex: string; bytes: Uint8Array } | undefined;
  #versionOfOthers = 0;
  /** Encoders of the types that SQLite does not take as they are. */
  readonly #encode: { [Type in ColumnType]?: (value: ColumnValues[Type]) => SQLInputValue } = {
    texts: (values) => JSON.stringify(values),
    boolean: (value) => (value ? 1 : 0),
    bytes: (hex) => (hex === null ? null : this.#blob(hex)),
    amount: (value) => (value === null ? null : toAny(value)),
    decimal: String,
    owner: (key) => this.#address(key).id,
    token: (assetId) => this.#token(assetId).id,
  };

  constructor(database: Database) {
    this.#db = database;
    this.db = database.shared;
  }

  /** Must also be called after a rollback, because the cache may hold rows that were never stored. */
  clearCache(): void {
    this.#addresses.clear();
    this.#lastAddress = undefined;
    this.#tokens.clear();
    this.#live.clear();
    this.#nativeId = "";
  }

  /** Must be called before other methods: clears the cache if another process may have written. */
  freshen(): void {
    const version = this.#db.versionOfOthers;
    if (version !== this.#versionOfOthers) this.clearCache();
    this.#versionOfOthers = version;
  }

  /** Encodes a row for the statement. Reuses one array for all rows, because a sync spends most of its time here. */
  #valuesOf<Row>({ columns: { sqlite: columns } }: RowStatement<Row>): (row: Row) => SQLInputValue[] {
    const fields = columns.map(({ field }) => field);
    const encoders = columns.map(({ type }) => this.#encode[type] as Encode | undefined);
    const values: SQLInputValue[] = columns.map(() => null);
    return (row) => {
      for (let i = 0; i < fields.length; i++) {
        const value = row[fields[i]!];
        const encode = encoders[i];
        values[i] = encode ? encode(value) : (value as SQLInputValue);
      }
      return values;
    };
  }

  get #changes(): number {
    return this.#db.prepared("SELECT total_changes() AS changes").get()!.changes as number;
  }

  save<Row>(query: RowStatement<Row>, rows: Iterable<Row>): Steps<number> {
    const statement = this.#db.prepared(query.sqlite);
    const values = this.#valuesOf(query);
    const before = this.#changes;
    // `run` would create an object for each row, with the number of changes.
    for (const row of rows) statement.get(...values(row));
    return done(this.#changes - before);
  }

  allOf<Found extends object, Row>(query: RowStatement<Row>, rows: Iterable<Row>): Steps<Found[]> {
    const statement = this.#db.prepared(query.sqlite);
    const values = this.#valuesOf(query);
    const found: Found[] = [];
    for (const row of rows) {
      for (const one of statement.all(...values(row))) found.push(one as Found);
    }
    return done(found);
  }

  outputsAt(outPoints: OutPoint[]): (StoredOutput | undefined)[] {
    return outPoints.map(
      (outPoint) =>
        this.#live.peek(outPoint.transactionHash)?.[outPoint.outputIndex] ?? this.#storedOutput(outPoint),
    );
  }

  #storedOutput({ transactionHash, outputIndex }: OutPoint): StoredOutput | undefined {
    // Most reads of a sync are this one. An array of bigints takes half as long as an object with texts.
    const row = this.#db.exactTuple<StoredTuple>(STORED_OUTPUT, toBlob(transactionHash), outputIndex);
    if (!row) return undefined;
    const [transactionId, addressId, tokenId, tokenAmount, nativeAmount, kind, spentBy] = row;
    const capacity = BigInt(nativeAmount);
    const output = {
      transactionId: Number(transactionId),
      address: this.#address(Number(addressId)).address,
      token: tokenAmount === null ? null : this.#token(Number(tokenId)).token,
      amount: tokenAmount === null ? capacity : BigInt(tokenAmount),
      capacity,
      kind,
    };
    if (spentBy === null && isShort(output.address.text)) {
      const others = this.#live.peek(transactionHash) ?? [];
      others[outputIndex] = output;
      this.#live.set(transactionHash, others);
    }
    return output;
  }

  #cacheAddress(cached: CachedAddress): CachedAddress {
    if (!isShort(cached.address.text)) return cached;
    this.#addresses.set(cached.address.key, cached);
    this.#addresses.set(cached.id, cached);
    return cached;
  }

  #address(keyOrId: string | number): CachedAddress {
    const last = this.#lastAddress;
    if (last && (last.address.key === keyOrId || last.id === keyOrId)) return last;
    this.#lastAddress = this.#addresses.peek(keyOrId) ?? this.#readAddress(keyOrId);
    return this.#lastAddress;
  }

  #blob(hex: string): Uint8Array {
    if (this.#lastBlob?.hex !== hex) this.#lastBlob = { hex, bytes: toBlob(hex) };
    return this.#lastBlob.bytes;
  }

  #readAddress(keyOrId: string | number): CachedAddress {
    const isId = typeof keyOrId === "number";
    const { key, text, ...row } = this.#db.get<AddedAddress & { key: Uint8Array; text: string }>(
      `SELECT id, key, text, first_height AS "firstHeight" FROM addresses WHERE ${isId ? "id" : "key"} = ?1`,
      isId ? keyOrId : toBlob(keyOrId),
    )!;
    return this.#cacheAddress({ ...row, address: { key: toHex(key), text } });
  }

  #token(assetIdOrId: string | number): CachedToken {
    return this.#tokens.peek(assetIdOrId) ?? this.#readToken(assetIdOrId);
  }

  #readToken(assetIdOrId: string | number): CachedToken {
    const column = typeof assetIdOrId === "number" ? "id" : "asset_id";
    const row = this.#db.get<TokenFacts>(`${TOKEN_FACTS} WHERE ${column} = ?1`, assetIdOrId)!;
    const token = toToken(row);
    const cached = { id: row.number, token };
    if (!isShort(token.id, token.parentId, token.contentType)) return cached;
    this.#tokens.set(token.id, cached);
    this.#tokens.set(cached.id, cached);
    return cached;
  }

  tokenIds(assetIds: string[]) {
    return tokenIds(this.db, assetIds);
  }

  /** Id of the native asset. */
  get #native(): string {
    this.#nativeId ||= runAtOnce(identity(this.db))!.native.id;
    return this.#nativeId;
  }

  *outputs(places: OutputPlace[]): Steps<OutputRow[]> {
    const found: OutputRow[] = [];
    const others: OutputPlace[] = [];
    for (const place of places) {
      const { transactionHash, transactionId, outputIndex } = place;
      const live = this.#live.peek(transactionHash)?.[outputIndex];
      if (!live) {
        others.push(place);
        continue;
      }
      const { address, token, amount, capacity, kind } = live;
      found.push({
        transactionId,
        outputIndex,
        addressKey: address.key,
        assetId: token?.id ?? this.#native,
        amount: token && amount,
        capacity,
        kind,
        spentBy: null,
        spentInput: null,
      });
    }
    return found.concat(
      (yield* this.allOf<OutputWithNames, OutputPlace>(OUTPUTS_AT, others)).map(toOutputRow),
    );
  }

  *addAddresses(addresses: Map<string, { text: string; firstHeight: number }>): Steps<void> {
    const rows = Array.from(addresses, ([key, address]) => ({ key, ...address })).filter(
      ({ key, firstHeight }) =>
        (this.#addresses.peek(key)?.firstHeight ?? Number.POSITIVE_INFINITY) > firstHeight,
    );
    const stored = yield* this.allOf<AddedAddress, (typeof rows)[number]>(ADD_ADDRESSES, rows);
    for (const [i, { id, firstHeight }] of stored.entries()) {
      const { key, text } = rows[i]!;
      this.#cacheAddress({ id, address: { key, text }, firstHeight });
    }
  }

  addOutputs(outputs: Iterable<PlacedOutput>): Steps<void> {
    const insert = this.#db.prepared(INSERT_OUTPUTS.sqlite);
    const values = this.#valuesOf(INSERT_OUTPUTS);
    let hash = "";
    let live: StoredOutput[] = [];
    const cacheLive = () => {
      if (live.length > 0) this.#live.set(hash, live);
      live = [];
    };
    for (const output of outputs) {
      insert.get(...values(output));
      const { transactionHash, transactionId, outputIndex, amount, capacity, kind } = output;
      const { address } = this.#address(output.addressKey);
      if (output.spentBy !== null || !isShort(address.text)) continue;
      if (hash !== transactionHash) cacheLive();
      hash = transactionHash;
      live[outputIndex] = {
        transactionId,
        address,
        token: amount === null ? null : this.#token(output.assetId).token,
        amount: amount ?? capacity,
        capacity,
        kind,
      };
    }
    cacheLive();
    return done(undefined);
  }

  *spendOutputs(outputs: Iterable<PlacedOutput>): Steps<void> {
    const spent = [...outputs];
    yield* this.save(SPEND_OUTPUTS, spent);
    for (const { transactionHash, outputIndex } of spent) {
      const live = this.#live.peek(transactionHash);
      if (live) live[outputIndex] = undefined;
    }
  }
}
