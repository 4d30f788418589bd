import type { NativeAsset } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import { fieldsOf, insertInto, snakeCase, table, update } from "#lib/store/row-statement.ts";
import { all, type Dialect, type Reading, statementWith } from "#lib/store/statement.ts";
import { foldCase, namesOf, saveAssetNames } from "./asset-names.ts";
import type { AssetName, ClaimRow, ClaimText, NamingFacts, ShownToken } from "./rows.ts";
import type { Steps } from "./steps.ts";
import { revalue } from "./values.ts";
import type { Writer } from "./writer.ts";

const CLAIMS = table(
  "claims",
  { assetId: "text", transactionId: "bigint", outputIndex: "bigint" },
  { name: "text", symbol: "text", decimals: "integer" },
);
const INSERT_CLAIMS = insertInto(CLAIMS);
const CLAIM_COLUMNS = Object.fromEntries(
  fieldsOf({ ...CLAIMS.key, ...CLAIMS.others }).map((field) => [field, snakeCase(field)]),
);
const earliestClaim = (sql: Dialect, assetId: string): string =>
  `SELECT ${sql.json(CLAIM_COLUMNS)} FROM claims WHERE asset_id = ${assetId}
    ORDER BY transaction_id, output_index LIMIT 1`;
const EARLIEST_CLAIMS = statementWith(["assetIds"])(
  (sql) => `SELECT (${earliestClaim(sql, "wanted.value")}) AS claim FROM ${sql.texts("$assetIds", "wanted")}`,
);
const MEMBERS = statementWith(["parentIds"])(
  (sql) =>
    `SELECT asset_id FROM tokens WHERE ${sql.isIn("chain_parent_id", "$parentIds", "text")} AND chain_parent_id <> ''`,
);
const NAMING_FACTS = statementWith(["assetIds"])(
  (sql) => `SELECT t.id AS "tokenId", t.asset_id AS id, t.fungible, t.chain_parent_id AS "parentId",
     t.decimals, (${earliestClaim(sql, "t.asset_id")}) AS claim, (${earliestClaim(sql, "t.chain_parent_id")}) AS "parentClaim",
     (SELECT entry FROM registry r WHERE r.asset_id = t.asset_id) AS entry,
     EXISTS (SELECT 1 FROM icons i WHERE i.asset_id = t.asset_id) AS "hasPicture"
   FROM tokens t WHERE ${sql.isIn("t.asset_id", "$assetIds", "text")}`,
);
const SHOWN = table(
  "tokens",
  { id: ["text", "asset_id"] },
  {
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
);
const SAVE_NAMES = update(SHOWN, ...fieldsOf(SHOWN.others));

/** The path of an asset's picture. */
const iconPath = (assetId: string): string => `/asset-icons/${assetId}`;

/**
 * The fields of a token that are shown. The registry overrides the earliest claim, which overrides the chain's facts. A member
 * without a name takes its collection's. The icon is the path of our copy. Unknown text is `""`, unknown decimals are 0.
 */
export function shownToken(facts: NamingFacts, native: NativeAsset): ShownToken {
  const { id, claim, entry } = facts;
  const constants = id === native.id ? native : null;
  const collectionName = facts.fungible ? "" : (facts.parentClaim?.name ?? "");
  return {
    layer: entry?.layer ?? (constants ? 1 : 2),
    parentId: entry?.parentId ?? facts.parentId,
    name: entry?.name ?? constants?.name ?? (claim?.name || collectionName),
    symbol: entry?.symbol ?? constants?.symbol ?? claim?.symbol ?? "",
    decimals: entry?.decimals ?? constants?.decimals ?? claim?.decimals ?? 0,
    icon: facts.hasPicture ? iconPath(id) : "",
    description: entry?.description ?? "",
    keywords: entry?.keywords?.join(",") ?? "",
    public: entry ? (entry.public ?? true) : false,
    tags: [...new Set(entry?.tags)].sort(),
  };
}

/** Tokens whose names are computed together. More would need more memory, fewer would need more statements. */
const NAMES_AT_ONCE = 5_000;

/** Updates what is shown of the assets, the texts that find them, and the values that depend on their decimals. */
export function* refreshNames(tables: Writer, assetIds: Iterable<string>, native: NativeAsset): Steps<void> {
  const ids = [...assetIds];
  for (let i = 0; i < ids.length; i += NAMES_AT_ONCE) {
    const tokens = yield* namingFacts(tables.db, ids.slice(i, i + NAMES_AT_ONCE));
    const found = new Map<number, AssetName[]>();
    const names = tokens.map((facts) => {
      const shown = shownToken(facts, native);
      found.set(facts.tokenId, namesOf(facts, shown, native));
      return { ...shown, id: facts.id, foldedName: foldCase(shown.name) };
    });
    yield* tables.save(SAVE_NAMES, names);
    yield* saveAssetNames(tables, found);
    for (const [i, { id, decimals }] of tokens.entries()) {
      if (names[i]!.decimals !== decimals) yield* revalue(tables, id, 0);
    }
  }
}

const parsed = <T>(json: string | null): T | null => (json === null ? null : (JSON.parse(json) as T));

/** The naming facts of the stored tokens among these assets. `decimals`: as stored so far. */
function* namingFacts(db: Reading, assetIds: string[]) {
  type Row = Pick<NamingFacts, "id" | "parentId"> &
    Record<"tokenId" | "decimals", number> &
    Record<"fungible" | "hasPicture", boolean | number> &
    Record<"claim" | "parentClaim" | "entry", string | null>;
  const rows = yield* all<Row>(db, NAMING_FACTS({ assetIds: JSON.stringify(assetIds) }));
  return rows.map((row) => ({
    ...row,
    fungible: Boolean(row.fungible),
    claim: parsed<ClaimText>(row.claim),
    parentClaim: parsed<ClaimText>(row.parentClaim),
    entry: parsed<RegistryEntry>(row.entry),
    hasPicture: Boolean(row.hasPicture),
  }));
}

/**
 * Updates the names of `others`, and of `named`, whose earliest claims changed. Tokens show their collection's name, so this
 * rewrites whole collections. That is rare, because only a first claim changes a name.
 */
export function* refreshWithMembers(
  tables: Writer,
  named: ReadonlySet<string>,
  others: readonly string[],
  native: NativeAsset,
): Steps<void> {
  const members = MEMBERS({ parentIds: JSON.stringify([...named]) });
  const rows = named.size === 0 ? [] : yield* all<{ asset_id: string }>(tables.db, members);
  const ids = rows.map((row) => row.asset_id);
  yield* refreshNames(tables, new Set([...others, ...named, ...ids]), native);
}

/** The earliest claim about each of the assets and collections, if it has one. */
export function* earliestClaims(tables: Writer, assetIds: Iterable<string>): Steps<ClaimRow[]> {
  const claims = EARLIEST_CLAIMS({ assetIds: JSON.stringify([...new Set(assetIds)]) });
  const rows = yield* all<{ claim: string | null }>(tables.db, claims);
  return rows.flatMap(({ claim }) => parsed<ClaimRow>(claim) ?? []);
}

/** Stores the claims. Returns the assets and collections whose names they change. */
export function* addClaims(tables: Writer, claims: readonly ClaimRow[]): Steps<Set<string>> {
  if (claims.length === 0) return new Set();
  const assetIds = claims.map(({ assetId }) => assetId);
  const stored = yield* earliestClaims(tables, assetIds);
  yield* tables.save(INSERT_CLAIMS, claims);
  return newlyNamed(stored, claims);
}

/** The assets and collections whose earliest claim changes with these claims. `stored`: the earliest ones so far. */
export function newlyNamed(stored: readonly ClaimRow[], claims: readonly ClaimRow[]): Set<string> {
  const named = new Set<string>();
  const earliest = new Map(stored.map((claim) => [claim.assetId, claim]));
  for (const claim of claims) {
    const other = earliest.get(claim.assetId);
    if (other && isBefore(other, claim)) continue;
    earliest.set(claim.assetId, claim);
    if (!other || !saysTheSame(other, claim)) named.add(claim.assetId);
  }
  return named;
}

const isBefore = (a: ClaimRow, b: ClaimRow): boolean =>
  a.transactionId === b.transactionId ? a.outputIndex < b.outputIndex : a.transactionId < b.transactionId;

const saysTheSame = (a: ClaimText, b: ClaimText): boolean =>
  a.name === b.name && a.symbol === b.symbol && a.decimals === b.decimals;
