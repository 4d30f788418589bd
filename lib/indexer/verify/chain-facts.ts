import { DatabaseSync } from "node:sqlite";
import type { MetadataClaim, NativeAsset } from "#lib/contract/ledger.ts";
import type { StoredBlock, StoredToken } from "#lib/queries/stored.ts";
import { NATIVE_STANDARD } from "#lib/store/rows.ts";
import { foldCase, namesOf } from "#lib/store/rules/asset-names.ts";
import { shownToken } from "#lib/store/rules/names.ts";
import type { Touch } from "#lib/store/rules/touches.ts";
import { transactionId } from "#lib/store/transaction-id.ts";
import { assetTotals } from "../derive.ts";

interface TokenFacts {
  /** Sum of the live outputs, in decimal digits. */
  supply: string;
  firstHeight?: number;
  firstMintHeight?: number;
  claim?: Pick<MetadataClaim, "name" | "symbol" | "decimals">;
}

/** An empty name gives a temporary file, of which SQLite holds a few MB in memory. */
function openScratch(): DatabaseSync {
  const scratch = new DatabaseSync("");
  scratch.exec(`
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    CREATE TABLE tokens (id TEXT PRIMARY KEY, facts TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE addresses (key TEXT PRIMARY KEY, first_height INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE touches (
      key TEXT NOT NULL, id INTEGER NOT NULL, last_spent INTEGER NOT NULL, PRIMARY KEY (key, id)
    ) STRICT, WITHOUT ROWID;
    BEGIN`);
  return scratch;
}

/** Facts about tokens and addresses, computed from blocks. They are in a temporary file, as anyone can make any number. */
export class ChainFacts implements Disposable {
  readonly #native: NativeAsset;
  readonly #horizon: number;
  readonly #scratch = openScratch();
  readonly #readToken = this.#scratch.prepare("SELECT facts FROM tokens WHERE id = ?");
  readonly #writeToken = this.#scratch.prepare("INSERT OR REPLACE INTO tokens VALUES (?, ?)");
  readonly #readAddress = this.#scratch.prepare("SELECT first_height FROM addresses WHERE key = ?");
  readonly #addTouch = this.#scratch.prepare(
    `INSERT INTO touches VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET last_spent = max(last_spent, excluded.last_spent)`,
  );
  readonly #takeTouch = this.#scratch.prepare("DELETE FROM touches WHERE key = ? AND id = ? RETURNING *");
  readonly #addAddress = this.#scratch.prepare("INSERT OR IGNORE INTO addresses VALUES (?, ?)");

  constructor(native: NativeAsset, horizon: number) {
    this.#native = native;
    this.#horizon = horizon;
  }

  [Symbol.dispose](): void {
    this.#scratch.close();
  }

  #token(id: string): TokenFacts | undefined {
    const row = this.#readToken.get(id) as { facts: string } | undefined;
    return row && (JSON.parse(row.facts) as TokenFacts);
  }

  /** Blocks must come in order of height. */
  add({ height, transactions, changes }: StoredBlock): void {
    const seen = new Map<string, TokenFacts>();
    const factsOf = (id: string): TokenFacts => {
      const facts = seen.get(id) ?? this.#token(id) ?? { supply: "0" };
      seen.set(id, facts);
      return facts;
    };
    for (const { assetId } of changes) factsOf(assetId).firstHeight ??= height;
    const addresses = new Set<string>();
    const live = new Map<string, bigint>();
    const addLive = (id: string, amount: bigint) => live.set(id, (live.get(id) ?? 0n) + amount);
    for (const { index, inputs, outputs, claims } of transactions) {
      const id = transactionId(height, index);
      for (const { output } of outputs) {
        this.#addTouch.run(output.address.key, id, output.spendable === false ? id : 0);
      }
      for (const { output, createdBy } of inputs) {
        if (createdBy === null) continue;
        this.#addTouch.run(output.address.key, createdBy, id);
        this.#addTouch.run(output.address.key, id, 0);
      }
      const spent = assetTotals(inputs, this.#native.id);
      const created = assetTotals(outputs, this.#native.id);
      for (const [id, total] of created) {
        const isMint = height > this.#horizon && total > (spent.get(id) ?? 0n);
        if (isMint) factsOf(id).firstMintHeight ??= height;
      }
      for (const { assetId, name, symbol, decimals } of claims)
        factsOf(assetId).claim ??= { name, symbol, decimals };
      for (const { output } of [...inputs, ...outputs]) addresses.add(output.address.key);
      for (const { output, spent: isSpent } of outputs) {
        if (isSpent) continue;
        addLive(this.#native.id, output.capacity);
        if (output.token) addLive(output.token.id, output.amount);
      }
    }
    for (const [id, amount] of live) {
      const facts = factsOf(id);
      facts.supply = (BigInt(facts.supply) + amount).toString();
    }
    for (const [id, facts] of seen) this.#writeToken.run(id, JSON.stringify(facts));
    for (const key of addresses) this.#addAddress.run(key, height);
  }

  /** The lowest height at which a block mentions the address; undefined if none does. */
  firstHeightOf(addressKey: string): number | undefined {
    return this.#readAddress.get(addressKey)?.first_height as number | undefined;
  }

  /** Returns and removes the touch of the address by the transaction; undefined if there is none. */
  takeTouch(addressKey: string, id: number): Pick<Touch, "lastSpent"> | undefined {
    const row = this.#takeTouch.get(addressKey, id);
    return row && { lastSpent: row.last_spent as number };
  }

  get touchesLeft(): number {
    return Number(this.#scratch.prepare("SELECT count(*) AS n FROM touches").get()!.n);
  }

  /** The values that must be stored for the token, according to the blocks and the registry. */
  expected(token: StoredToken): Partial<StoredToken> {
    const { id, fungible, chainParentId, entry, hasPicture, firstMintHeight } = token;
    const facts = this.#token(id);
    const parentClaim = this.#token(chainParentId)?.claim ?? null;
    const claim = facts?.claim ?? null;
    const naming = { id, fungible, parentId: chainParentId, claim, parentClaim, entry, hasPicture };
    const shown = shownToken(naming, this.#native);
    const ofNative = { standard: NATIVE_STANDARD, fungible: true, contentType: "", chainParentId: "" };
    const isForgotten = firstMintHeight !== null && firstMintHeight >= 0 && firstMintHeight <= this.#horizon;
    return {
      totalSupply: facts?.supply ?? "0",
      firstHeight: facts?.firstHeight ?? null,
      firstMintHeight: isForgotten ? firstMintHeight : (facts?.firstMintHeight ?? null),
      ...shown,
      foldedName: foldCase(shown.name),
      names: namesOf(naming, shown, this.#native),
      ...(id === this.#native.id && ofNative),
    };
  }
}
