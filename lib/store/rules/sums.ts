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

/** What an output adds to sums; `amount` as in OutputRow. */
export interface Held {
  addressKey: string;
  assetId: string;
  amount: bigint | null;
  capacity: bigint;
}

/** What blocks change in sums over live outputs, gathered so that each sum is written once. */
export class Sums {
  readonly #native: TokenDelta;
  readonly #tokens = new Map<string, TokenDelta>();
  readonly #holdings = new Map<string, Map<string, HoldingDelta>>();

  constructor(nativeId: string) {
    this.#native = this.#token(nativeId);
  }

  /** The output becomes live. */
  add({ addressKey, assetId, amount, capacity }: Held): void {
    this.#change(addressKey, assetId, 1, amount, capacity);
  }

  /** The output stops being live. */
  remove({ addressKey, assetId, amount, capacity }: Held): void {
    this.#change(addressKey, assetId, -1, amount === null ? null : -amount, -capacity);
  }

  /** A block at `height` mentions the asset and, as every output does, the native one. */
  see(assetId: string, height: number): void {
    const { firstHeight } = this.#native;
    if (firstHeight === null || height < firstHeight) this.#native.firstHeight = height;
    if (assetId === this.#native.assetId) return;
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
    return [...this.#tokens.values()];
  }

  holdings(): HoldingDelta[] {
    const changed: HoldingDelta[] = [];
    for (const ofAddress of this.#holdings.values()) {
      for (const delta of ofAddress.values()) {
        if (delta.count !== 0 || delta.amount !== 0n || delta.capacity !== 0n) changed.push(delta);
      }
    }
    return changed;
  }

  #change(addressKey: string, assetId: string, count: 1 | -1, amount: bigint | null, capacity: bigint): void {
    // Every output holds capacity of the native asset.
    this.#native.supply += capacity;
    if (amount !== null) this.#token(assetId).supply += amount;
    let ofAddress = this.#holdings.get(addressKey);
    if (!ofAddress) {
      ofAddress = new Map();
      this.#holdings.set(addressKey, ofAddress);
    }
    let delta = ofAddress.get(assetId);
    if (!delta) {
      delta = { addressKey, assetId, count: 0, amount: 0n, capacity: 0n };
      ofAddress.set(assetId, delta);
    }
    delta.count += count;
    delta.amount += amount ?? capacity;
    delta.capacity += capacity;
  }

  #token(assetId: string): TokenDelta {
    let delta = this.#tokens.get(assetId);
    if (!delta) {
      delta = { assetId, supply: 0n, firstHeight: null, firstMint: null };
      this.#tokens.set(assetId, delta);
    }
    return delta;
  }
}
