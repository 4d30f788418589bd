import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { MetadataClaim, NativeAsset } from "#lib/contract/ledger.ts";
import { foldCase, type ShownToken, shownToken } from "#lib/store/rules/names.ts";
import type { AuditedToken, StoredBlock } from "#lib/store/store.ts";
import { assetTotals } from "./derive.ts";

/** What blocks say about one token. */
interface Facts {
  /** Sum of the live outputs, in decimal digits. */
  supply: string;
  firstBlock?: string | undefined;
  firstMint?: number | undefined;
  claim?: Pick<MetadataClaim, "name" | "symbol" | "decimals"> | undefined;
  parentId?: string | undefined;
  fungible?: boolean | undefined;
}

/**
 * What the blocks say about each token, collected in chain order. It is kept in a temporary file: an issuer can make
 * any number of tokens.
 */
export class TokenFacts implements Disposable {
  readonly #native: NativeAsset;
  /** Without a name: SQLite makes the file, keeps a few MB of it in memory, and removes it. */
  readonly #scratch = new DatabaseSync("");
  readonly #read: StatementSync;
  readonly #write: StatementSync;

  constructor(native: NativeAsset) {
    this.#native = native;
    this.#scratch.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    this.#scratch.exec("CREATE TABLE facts (id TEXT PRIMARY KEY, facts TEXT NOT NULL) STRICT, WITHOUT ROWID");
    this.#read = this.#scratch.prepare("SELECT facts FROM facts WHERE id = ?");
    this.#write = this.#scratch.prepare(
      "INSERT INTO facts VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET facts = excluded.facts",
    );
    this.#scratch.exec("BEGIN");
  }

  [Symbol.dispose](): void {
    this.#scratch.close();
  }

  #of(id: string): Facts | undefined {
    const row = this.#read.get(id) as { facts: string } | undefined;
    return row && (JSON.parse(row.facts) as Facts);
  }

  add(block: StoredBlock): void {
    const seen = new Map<string, Facts>();
    const factsOf = (id: string): Facts => {
      let facts = seen.get(id);
      if (!facts) {
        facts = this.#of(id) ?? { supply: "0" };
        seen.set(id, facts);
      }
      return facts;
    };
    const live = new Map<string, bigint>();
    const addLive = (id: string, amount: bigint) => live.set(id, (live.get(id) ?? 0n) + amount);
    for (const { inputs, outputs, claims } of block.transactions) {
      const spent = assetTotals(
        inputs.map(({ output }) => output),
        this.#native.id,
      );
      const created = assetTotals(
        outputs.map(({ output }) => output),
        this.#native.id,
      );
      for (const id of [...spent.keys(), ...created.keys()]) factsOf(id).firstBlock ??= block.hash;
      for (const [id, total] of created) {
        if (total > (spent.get(id) ?? 0n)) factsOf(id).firstMint ??= block.timestamp;
      }
      for (const { output } of [...inputs, ...outputs]) {
        if (output.token)
          Object.assign(factsOf(output.token.id), {
            parentId: output.token.parentId,
            fungible: output.token.fungible,
          });
      }
      for (const { assetId, name, symbol, decimals } of claims)
        factsOf(assetId).claim ??= { name, symbol, decimals };
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
    for (const [id, facts] of seen) this.#write.run(id, JSON.stringify(facts));
  }

  /** What must be stored of the token, by the blocks and the registry. */
  expected({ id, entry, hasPicture }: AuditedToken) {
    const facts = this.#of(id);
    const parentId = facts?.parentId ?? "";
    const shown: ShownToken = shownToken(
      {
        id,
        fungible: facts?.fungible ?? true,
        parentId,
        claim: facts?.claim ?? null,
        parentClaim: this.#of(parentId)?.claim ?? null,
        entry,
        hasPicture,
      },
      this.#native,
    );
    return {
      totalSupply: facts?.supply ?? "0",
      firstFoundBlock: facts?.firstBlock ?? "",
      firstMintAt: facts?.firstMint === undefined ? "" : new Date(facts.firstMint).toISOString(),
      ...shown,
      foldedName: foldCase(shown.name),
    };
  }
}
