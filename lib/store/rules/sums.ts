import { kindWord } from "#lib/contract/ledger.ts";

/** What changes in a token's row. */
export interface TokenDelta {
  assetId: string;
  supply: bigint;
  /** Lowest heights at which it is seen and minted; null if it is not. */
  firstHeight: number | null;
  firstMint: number | null;
}

/** What changes in what an address holds of an asset in outputs of one kind. */
export interface HoldingDelta {
  addressKey: string;
  assetId: string;
  /** The word of `Output.kind`; `""` for a token. */
  kind: string;
  count: number;
  amount: bigint;
  capacity: bigint;
}

/** What an output adds to sums; `amount` as in OutputRow. */
export interface Held {
  addressKey: string;
  assetId: string;
  amount: bigint | null;
  capacity: bigint;
  /** See `Output.kind`. */
  kind: string | null;
}

type Heights = Pick<TokenDelta, "firstHeight" | "firstMint">;

/**
 * What blocks change in sums over live outputs, gathered so that each sum is written once. Every output changes one
 * holding; what follows from holdings is added up at the end, since an addition of bigints is most of what it costs.
 */
export class Sums {
  readonly #nativeId: string;
  readonly #native: Heights;
  readonly #tokens = new Map<string, Heights>();
  /** By address, and by asset or, of the native one, kind. Of that, `amount` stays 0 here: it is the capacity. */
  readonly #holdings = new Map<string, Map<string, HoldingDelta>>();

  constructor(nativeId: string) {
    this.#nativeId = nativeId;
    this.#native = this.#token(nativeId);
  }

  /** The output becomes live. */
  add(output: Held): void {
    const delta = this.#deltaOf(output);
    delta.count += 1;
    delta.capacity += output.capacity;
    if (output.amount !== null) delta.amount += output.amount;
  }

  /** The output stops being live. */
  remove(output: Held): void {
    const delta = this.#deltaOf(output);
    delta.count -= 1;
    delta.capacity -= output.capacity;
    if (output.amount !== null) delta.amount -= output.amount;
  }

  /** A block at `height` mentions the asset and, as every output does, the native one. */
  see(assetId: string, height: number): void {
    const { firstHeight } = this.#native;
    if (firstHeight === null || height < firstHeight) this.#native.firstHeight = height;
    if (assetId === this.#nativeId) return;
    const token = this.#token(assetId);
    if (token.firstHeight === null || height < token.firstHeight) token.firstHeight = height;
  }

  /** A block at `height` mints the asset. */
  mint(assetId: string, height: number): void {
    const token = this.#token(assetId);
    if (token.firstMint === null || height < token.firstMint) token.firstMint = height;
  }

  /** The native asset first. */
  tokens(): TokenDelta[] {
    const supplies = new Map<string, bigint>();
    const add = (assetId: string, size: bigint) =>
      supplies.set(assetId, (supplies.get(assetId) ?? 0n) + size);
    for (const ofAddress of this.#holdings.values()) {
      for (const { assetId, amount, capacity } of ofAddress.values()) {
        // Every output holds capacity of the native asset.
        add(this.#nativeId, capacity);
        if (assetId !== this.#nativeId) add(assetId, amount);
      }
    }
    return [...this.#tokens].map(([assetId, { firstHeight, firstMint }]) => ({
      assetId,
      supply: supplies.get(assetId) ?? 0n,
      firstHeight,
      firstMint,
    }));
  }

  holdings(): HoldingDelta[] {
    const changed: HoldingDelta[] = [];
    for (const ofAddress of this.#holdings.values()) {
      for (const delta of ofAddress.values()) {
        if (delta.count === 0 && delta.amount === 0n && delta.capacity === 0n) continue;
        changed.push(delta.assetId === this.#nativeId ? { ...delta, amount: delta.capacity } : delta);
      }
    }
    return changed;
  }

  #deltaOf({ addressKey, assetId, amount, kind: outputKind }: Held): HoldingDelta {
    let ofAddress = this.#holdings.get(addressKey);
    if (!ofAddress) {
      ofAddress = new Map();
      this.#holdings.set(addressKey, ofAddress);
    }
    const kind = amount === null ? kindWord(outputKind) : "";
    const key = amount === null ? kind : assetId;
    let delta = ofAddress.get(key);
    if (!delta) {
      this.#token(assetId);
      delta = { addressKey, assetId, kind, count: 0, amount: 0n, capacity: 0n };
      ofAddress.set(key, delta);
    }
    return delta;
  }

  /** From the first call on, the asset is one of those that change. */
  #token(assetId: string): Heights {
    let heights = this.#tokens.get(assetId);
    if (!heights) {
      heights = { firstHeight: null, firstMint: null };
      this.#tokens.set(assetId, heights);
    }
    return heights;
  }
}
