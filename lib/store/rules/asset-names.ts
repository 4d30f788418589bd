import type { NativeAsset } from "#lib/contract/ledger.ts";
import { insertInto, table } from "#lib/store/row-statement.ts";
import { all, type Reading, run, statementWith } from "#lib/store/statement.ts";
import { looksOf } from "#lib/util/look.ts";
import type { AssetName, NamingFacts, ShownToken } from "./rows.ts";
import type { Steps } from "./steps.ts";
import type { Writer } from "./writer.ts";

/** Kind of a text in `asset_names`: a folded id, name or symbol. */
export const NAME = 0;
/** Kind of a text: the look of a name or a symbol. */
export const LOOK = 1;
/** Kind of a text: the rest of a name or a symbol from a later word on. */
export const WORD = 2;

/** Maximum number of words of a name or a symbol that are indexed after its beginning. Names on a chain can have over a hundred. */
const MAX_WORDS = 8;
const WORD_START = /(?<![\p{L}\p{M}\p{N}])[\p{L}\p{N}]/gu;

/** Maximum number of code points of an indexed text: PostgreSQL indexes at most 2,704 bytes, and a cursor holds a text as JSON. */
export const MAX_FOUND_TEXT = 80;
const limited = (text: string): string => [...text].slice(0, MAX_FOUND_TEXT).join("");

/** Unicode case folding, equal for both engines. Folds the final sigma, too: a part of a name may end within a word. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

const folded = (text: string): string => foldCase(text.toWellFormed());

/** The form in which texts are searched: texts that differ only in case become equal. */
export const searchText = (text: string): string => limited(folded(text));

/** The ends of a folded text that begin with a word, without the whole text. */
const wordsOf = (folded: string): string[] =>
  Array.from(folded.matchAll(WORD_START), ({ index }) => index)
    .filter((index) => index > 0)
    .slice(0, MAX_WORDS)
    .map((index) => limited(folded.slice(index)));

/**
 * The texts that find an asset: its id, and its names and symbols, both as shown and as claimed. Fungible assets also get the looks
 * of name and symbol, which show imitations; the members of a collection all have its name.
 */
export function namesOf(facts: NamingFacts, shown: ShownToken, native: NativeAsset): AssetName[] {
  const { id, claim, fungible } = facts;
  const given = [shown.name, shown.symbol, claim?.name ?? "", claim?.symbol ?? ""].map(folded);
  const looks = [shown.name, shown.symbol].flatMap(looksOf).map(limited);
  const unlisted = shown.public || id === native.id ? 0 : 1;
  const of = (kind: number, texts: string[]): AssetName[] =>
    [...new Set(texts)].filter((text) => text !== "").map((text) => ({ kind, text, unlisted }));
  return [
    ...of(NAME, [id, ...given].map(limited)),
    ...(fungible ? of(LOOK, looks) : []),
    ...of(WORD, given.flatMap(wordsOf)),
  ].sort(inOrder);
}

const inOrder = (one: AssetName, other: AssetName): number =>
  one.kind - other.kind || (one.text < other.text ? -1 : 1);

const DELETE_NAMES = statementWith(["ids"])(
  (sql) => `DELETE FROM asset_names WHERE ${sql.isIn("token_id", "$ids", "integer")}`,
);
const INSERT_NAMES = insertInto(
  table("asset_names", { kind: "integer", text: "text", unlisted: "integer", tokenId: "integer" }, {}),
);

/** Replaces the names of assets, by their numbers. */
export function* saveAssetNames(tables: Writer, names: ReadonlyMap<number, AssetName[]>): Steps<void> {
  yield* run(tables.db, DELETE_NAMES({ ids: JSON.stringify([...names.keys()]) }));
  const rows = [...names].flatMap(([tokenId, ofAsset]) => ofAsset.map((name) => ({ ...name, tokenId })));
  yield* tables.save(INSERT_NAMES, rows);
}

const NAMES_OF = statementWith(["ids"])(
  (sql) =>
    `SELECT token_id AS id, kind, text, unlisted FROM asset_names WHERE ${sql.isIn("token_id", "$ids", "integer")}`,
);

/** The stored names of assets, by their numbers. */
export function* storedAssetNames(db: Reading, ids: number[]): Steps<Map<number, AssetName[]>> {
  const names = new Map<number, AssetName[]>(ids.map((id) => [id, []]));
  const stored = NAMES_OF({ ids: JSON.stringify(ids) });
  for (const { id, ...name } of yield* all<AssetName & { id: number }>(db, stored)) {
    names.get(id)!.push(name);
  }
  for (const ofAsset of names.values()) ofAsset.sort(inOrder);
  return names;
}
