import { kindWord, PLAIN_OUTPUT } from "#lib/contract/ledger.ts";

/** What changes in a token's row. */
export interface TokenDelta {
  assetId: string;
  supply: bigint;
  /** Lowest heights at which it is seen and minted; null if it is not. */
  firstHeight: number | null;
  firstMint: number | null;
}

/** What changes in an address's holding of an asset. */
export interface HoldingDelta {
  addressKey: string;
  assetId: string;
  count: number;
  amount: bigint;
  capacity: bigint;
}

/** What changes in the outputs of the native asset that an address has, of one kind that is not plain. */
export interface KindDelta {
  addressKey: string;
  /** The word of `Output.kind`. */
  kind: string;
  count: number;
  capacity: bigint;
}

/** What an output adds to sums; `amount` as in OutputRow. */
export interface Held {
  addressKey: string;
  assetId: string;
  amount: bigint | null;
  capacity: bigint;
  kind: string | null;
}

type Heights = Pick<TokenDelta, "firstHeight" | "firstMint">;

/**
 * What blocks change in sums over live outputs, so that each sum is written once. An output changes one holding; the rest is
 * added up at the end, because adding bigints is most of the cost.
 */
export class Sums {
  readonly #nativeId: string;
  readonly #native: Heights;
  readonly #tokens = new Map<string, Heights>();
  /** By address and asset. Of the native asset, `amount` stays 0 here: it is the capacity. */
  readonly #holdings = new Map<string, Map<string, HoldingDelta>>();
  /** By address and kind. Most outputs are plain or hold a token, and add nothing here. */
  readonly #kinds = new Map<string, KindDelta>();

  constructor(nativeId: string) {
    this.#nativeId = nativeId;
    this.#native = this.#token(nativeId);
  }

  /** The output becomes live. */
  add({ addressKey, assetId, amount, capacity, kind }: Held): void {
    this.#change(addressKey, assetId, 1, amount, capacity);
    if (amount === null && kind !== PLAIN_OUTPUT) this.#changeKind(addressKey, kind, 1, capacity);
  }

  /** The output stops being live. */
  remove({ addressKey, assetId, amount, capacity, kind }: Held): void {
    this.#change(addressKey, assetId, -1, amount === null ? null : -amount, -capacity);
    if (amount === null && kind !== PLAIN_OUTPUT) this.#changeKind(addressKey, kind, -1, -capacity);
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

  kinds(): KindDelta[] {
    return [...this.#kinds.values()].filter(({ count, capacity }) => count !== 0 || capacity !== 0n);
  }

  #change(addressKey: string, assetId: string, count: 1 | -1, amount: bigint | null, capacity: bigint): void {
    let ofAddress = this.#holdings.get(addressKey);
    if (!ofAddress) {
      ofAddress = new Map();
      this.#holdings.set(addressKey, ofAddress);
    }
    let delta = ofAddress.get(assetId);
    if (!delta) {
      this.#token(assetId);
      delta = { addressKey, assetId, count: 0, amount: 0n, capacity: 0n };
      ofAddress.set(assetId, delta);
    }
    delta.count += count;
    delta.capacity += capacity;
    if (amount !== null) delta.amount += amount;
  }

  #changeKind(addressKey: string, text: string | null, count: 1 | -1, capacity: bigint): void {
    const kind = kindWord(text);
    const key = `${addressKey} ${kind}`;
    const delta = this.#kinds.get(key) ?? { addressKey, kind, count: 0, capacity: 0n };
    delta.count += count;
    delta.capacity += capacity;
    this.#kinds.set(key, delta);
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
