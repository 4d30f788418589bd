/** The tables of names, pictures and prices, and of what changes are worth. */
import type { RegistryEntry } from "#lib/contract/registry.ts";
import type {
  ChangeRow,
  ClaimRow,
  ClaimText,
  DatedChange,
  NamedToken,
  NameRow,
  ValueRow,
} from "#lib/store/rules/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import {
  all,
  type Bytes,
  type Connection,
  type Dialect,
  first,
  run,
  statement,
  toHex,
} from "#lib/store/statement.ts";
import type { AssetIcon, Price } from "#lib/store/store.ts";
import { forRows, insertInto, type RowStatement } from "./columns.ts";

const INSERT_CLAIMS = insertInto<ClaimRow>("claims", {
  assetId: "text",
  transactionId: "bigint",
  outputIndex: "bigint",
  name: "text",
  symbol: "text",
  decimals: "integer",
});
const earliestClaim = (sql: Dialect, assetId: string): string => {
  const place = { transactionId: "transaction_id", outputIndex: "output_index" };
  const claim = { assetId: "asset_id", ...place, name: "name", symbol: "symbol", decimals: "decimals" };
  return `SELECT ${sql.json(claim)} FROM claims WHERE asset_id = ${assetId}
    ORDER BY transaction_id, output_index LIMIT 1`;
};
const EARLIEST_CLAIMS = statement(
  "earliest-claims",
  (sql) => `SELECT (${earliestClaim(sql, "wanted.value")}) AS claim FROM ${sql.texts("$1", "wanted")}`,
);
const MEMBERS = statement(
  "members",
  (sql) =>
    `SELECT asset_id FROM tokens WHERE ${sql.isIn("chain_parent_id", "$1", "text")} AND chain_parent_id <> ''`,
);
const NAMING_FACTS = statement(
  "naming-facts",
  (sql) => `SELECT t.asset_id AS id, t.fungible, t.chain_parent_id AS "parentId", t.decimals,
     (${earliestClaim(sql, "t.asset_id")}) AS claim, (${earliestClaim(sql, "t.chain_parent_id")}) AS "parentClaim",
     (SELECT entry FROM registry r WHERE r.asset_id = t.asset_id) AS entry,
     EXISTS (SELECT 1 FROM icons i WHERE i.asset_id = t.asset_id) AS "hasPicture"
   FROM tokens t WHERE ${sql.isIn("t.asset_id", "$1", "text")}`,
);
const SAVE_NAMES = forRows<NameRow>(
  "save-names",
  {
    id: "text",
    layer: "integer",
    parentId: "text",
    name: "text",
    foldedName: ["text", "name_folded"],
    symbol: "text",
    decimals: "integer",
    icon: "text",
    description: "text",
    keywords: "text",
    public: "boolean",
    tags: "texts",
  },
  ({ column, each, from }) => {
    const { id, ...shown } = column;
    const changes = Object.entries(shown).map(([field, name]) => `${name} = ${each[field as keyof NameRow]}`);
    return `UPDATE tokens SET ${changes.join(", ")} ${from("FROM")} WHERE tokens.asset_id = ${each.id}`;
  },
);
const LISTED = statement("listed", "SELECT asset_id FROM registry UNION SELECT asset_id FROM icons");
const CLEAR_REGISTRY = statement("clear-registry", "DELETE FROM registry");
const CLEAR_ICONS = statement("clear-icons", "DELETE FROM icons");
const INSERT_REGISTRY = insertInto<{ assetId: string; entry: string }>("registry", {
  assetId: "text",
  entry: "text",
});
const INSERT_ICONS = insertInto<{ assetId: string; picture: string; etag: string }>("icons", {
  assetId: "text",
  picture: "bytes",
  etag: "text",
});

type Priced = { assetId: string; time: number };
const PRICES_AT = forRows<Priced & { place: number }>(
  "prices-at",
  { assetId: "text", time: "bigint", place: "integer" },
  ({ each, from }) => `SELECT ${each.place} AS place, t.decimals,
     (SELECT usd FROM prices p WHERE p.asset_id = t.asset_id AND p.time <= ${each.time} ORDER BY p.time DESC LIMIT 1) AS usd
   FROM tokens t ${from(",")} WHERE t.asset_id = ${each.assetId}`,
);
const SAVE_PRICES = forRows<Price>(
  "save-prices",
  { assetId: "text", time: "bigint", usd: "decimal" },
  ({ names, values }) => `INSERT INTO prices (${names}) ${values}
   ON CONFLICT (asset_id, time) DO UPDATE SET usd = excluded.usd WHERE prices.usd <> excluded.usd
   RETURNING asset_id AS "assetId", time`,
);
const REMOVE_PRICES = statement(
  "remove-prices",
  "DELETE FROM prices WHERE asset_id = $1 AND time >= $2 AND time <= $3",
);
const PRICES_FROM = statement(
  "prices-from",
  `SELECT time, usd FROM prices WHERE asset_id = $1 AND time >= coalesce(
     (SELECT max(time) FROM prices WHERE asset_id = $1 AND time <= $2), $2) ORDER BY time`,
);
const DECIMALS = statement("decimals", "SELECT decimals FROM tokens WHERE asset_id = $1");
const FIRST_HEIGHT_FROM = statement("first-height-from", {
  sqlite: "SELECT min(height) AS height FROM blocks INDEXED BY blocks_by_timestamp WHERE timestamp >= $1",
  postgres: "SELECT min(height) AS height FROM blocks WHERE timestamp >= $1",
});
const INSERT_CHANGES = forRows<ChangeRow>(
  "insert-changes",
  {
    blockHash: "bytes",
    height: "bigint",
    ordinal: "integer",
    assetId: "token",
    amount: "amount",
    usd: ["amount", "amount_usd"],
  },
  // SQLite keeps changes by height alone.
  ({ sql, names, values, each: { height, ordinal, assetId, amount, usd } }) =>
    sql.engine === "postgres"
      ? `INSERT INTO asset_changes (${names}) ${values}`
      : `INSERT INTO asset_changes (height, ordinal, token_id, amount, amount_usd)
         VALUES (${height}, ${ordinal}, ${assetId}, ${amount}, ${usd})`,
);
const CHANGES_OF = statement(
  "changes-of",
  `SELECT b.hash, c.height, c.ordinal, CAST(c.amount AS TEXT) AS amount, CAST(c.amount_usd AS TEXT) AS usd, b.timestamp
   FROM asset_changes c JOIN blocks b ON b.height = c.height
   WHERE c.token_id = (SELECT id FROM tokens WHERE asset_id = $1) AND c.height > $2 AND b.timestamp >= $3
   ORDER BY c.height LIMIT 10000`,
);
const SAVE_VALUES = forRows<ValueRow>(
  "save-values",
  { blockHash: ["bytes", "hash"], ordinal: "integer", usd: "amount" },
  ({ sql, each, from }) => `UPDATE asset_changes SET amount_usd = ${each.usd} ${from("FROM")}
   WHERE ${sql.ofBlock(each.blockHash)} AND asset_changes.ordinal = ${each.ordinal}`,
);

const PRICE_ROWS = 10_000;

const parsed = <T>(json: string | null): T | null => (json === null ? null : (JSON.parse(json) as T));

/** What the tables of every engine do with names and prices. */
export abstract class ListingTables {
  protected abstract readonly db: Connection;
  /** Runs a statement for the rows, of which there may be none; returns how many rows changed. */
  protected abstract save<Row>(query: RowStatement<Row>, rows: Iterable<Row>): Steps<number>;
  /** The same, for a statement that returns rows. */
  protected abstract allOf<Found extends object, Row>(
    query: RowStatement<Row>,
    rows: Iterable<Row>,
  ): Steps<Found[]>;

  addClaims(claims: ClaimRow[]) {
    return this.save(INSERT_CLAIMS, claims);
  }

  /** Of each of the assets and collections that has claims, the earliest. */
  *earliestClaims(assetIds: string[]): Steps<ClaimRow[]> {
    const rows = yield* all<{ claim: string | null }>(this.db, EARLIEST_CLAIMS, JSON.stringify(assetIds));
    return rows.flatMap(({ claim }) => parsed<ClaimRow>(claim) ?? []);
  }

  *membersOf(collectionIds: string[]): Steps<string[]> {
    const rows = yield* all<{ asset_id: string }>(this.db, MEMBERS, JSON.stringify(collectionIds));
    return rows.map((row) => row.asset_id);
  }

  *namingFacts(assetIds: string[]): Steps<NamedToken[]> {
    const rows = yield* all<{
      id: string;
      fungible: boolean | number;
      parentId: string;
      decimals: number;
      claim: string | null;
      parentClaim: string | null;
      entry: string | null;
      hasPicture: boolean | number;
    }>(this.db, NAMING_FACTS, JSON.stringify(assetIds));
    return rows.map((row) => ({
      ...row,
      fungible: Boolean(row.fungible),
      claim: parsed<ClaimText>(row.claim),
      parentClaim: parsed<ClaimText>(row.parentClaim),
      entry: parsed<RegistryEntry>(row.entry),
      hasPicture: Boolean(row.hasPicture),
    }));
  }

  saveNames(names: NameRow[]) {
    return this.save(SAVE_NAMES, names);
  }

  *listedAssets(): Steps<string[]> {
    return (yield* all<{ asset_id: string }>(this.db, LISTED)).map((row) => row.asset_id);
  }

  *replaceListing(entries: RegistryEntry[], icons: AssetIcon[]): Steps<void> {
    yield* run(this.db, CLEAR_REGISTRY);
    yield* this.save(
      INSERT_REGISTRY,
      entries.map((entry) => ({ assetId: entry.id, entry: JSON.stringify(entry) })),
    );
    yield* run(this.db, CLEAR_ICONS);
    yield* this.save(
      INSERT_ICONS,
      icons.map((icon) => ({ ...icon, picture: toHex(icon.picture) })),
    );
  }

  /** For each stored asset and time, in order, its decimals and the price in force; null if it has none. */
  *pricesAt(asked: Priced[]): Steps<{ decimals: number; usd: bigint | null }[]> {
    const rows = yield* this.allOf<
      { place: number; decimals: number; usd: string | null },
      Priced & { place: number }
    >(
      PRICES_AT,
      asked.map(({ assetId, time }, place) => ({ assetId, time, place })),
    );
    const found: { decimals: number; usd: bigint | null }[] = [];
    for (const { place, decimals, usd } of rows) {
      found[place] = { decimals, usd: usd === null ? null : BigInt(usd) };
    }
    return found;
  }

  /** Adds or replaces; no two are of one asset and time. Returns those that were not stored like this already. */
  *addPrices(prices: Price[]): Steps<Priced[]> {
    const changed: Priced[] = [];
    for (let i = 0; i < prices.length; i += PRICE_ROWS) {
      changed.push(...(yield* this.allOf<Priced, Price>(SAVE_PRICES, prices.slice(i, i + PRICE_ROWS))));
    }
    return changed;
  }

  /** Removes the asset's prices of these times, both included; returns how many there were. */
  removePrices(assetId: string, from: number, to: number) {
    return run(this.db, REMOVE_PRICES, assetId, from, to);
  }

  /** Prices of the asset in order of time, from the one in force at `time` on. */
  *pricesFrom(assetId: string, time: number): Steps<{ time: number; usd: bigint }[]> {
    const rows = yield* all<{ time: number; usd: string }>(this.db, PRICES_FROM, assetId, time);
    return rows.map((row) => ({ time: row.time, usd: BigInt(row.usd) }));
  }

  /** Undefined if the asset was never seen. */
  *decimalsOf(assetId: string): Steps<number | undefined> {
    return (yield* first<{ decimals: number }>(this.db, DECIMALS, assetId))?.decimals;
  }

  /** The lowest height of a block at or after `time`; null if there is none. */
  *firstHeightFrom(time: number): Steps<number | null> {
    return (yield* first<{ height: number | null }>(this.db, FIRST_HEIGHT_FROM, time))!.height;
  }

  addChanges(changes: ChangeRow[]) {
    return this.save(INSERT_CHANGES, changes);
  }

  /** Some of the asset's changes in blocks above a height and not before `time`: the lowest ones, in order. */
  *changesOf(assetId: string, aboveHeight: number, time: number): Steps<DatedChange[]> {
    const rows = yield* all<{
      hash: Bytes;
      height: number;
      ordinal: number;
      amount: string;
      usd: string;
      timestamp: number;
    }>(this.db, CHANGES_OF, assetId, aboveHeight, time);
    return rows.map(({ hash, amount, usd, ...place }) => ({
      ...place,
      blockHash: toHex(hash),
      amount: BigInt(amount),
      usd: BigInt(usd),
    }));
  }

  saveValues(values: ValueRow[]) {
    return this.save(SAVE_VALUES, values);
  }
}
