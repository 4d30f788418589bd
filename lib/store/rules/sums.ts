import { kindWord, PLAIN_OUTPUT } from "#lib/contract/ledger.ts";
import { deleteFrom, forRows, insertInto, table } from "#lib/store/row-statement.ts";
import { type Dialect, KEY_START } from "#lib/store/statement.ts";
import type { Held } from "./rows.ts";
import type { Steps } from "./steps.ts";
import type { Writer } from "./writer.ts";

/** Changes of a token's row. */
export interface TokenDelta {
  assetId: string;
  supply: bigint;
  /** Change in the number of live outputs that hold the asset. For the native asset, only outputs without a token count. */
  outputs: number;
  /** Lowest heights at which blocks mention and mint it; null if none does. */
  firstHeight: number | null;
  firstMint: number | null;
}

/** Changes of an address's holding of an asset. */
export interface HoldingDelta {
  addressKey: string;
  /** The first `KEY_START` bytes of the key. */
  keyStart: string;
  assetId: string;
  count: number;
  amount: bigint;
  capacity: bigint;
}

/** Changes of an address's sum over outputs of the native asset, of one kind that is not plain. */
export interface KindDelta {
  addressKey: string;
  /** The word of the outputs' kind: see `kindWord`. */
  kind: string;
  count: number;
  capacity: bigint;
}

type Heights = Pick<TokenDelta, "firstHeight" | "firstMint">;

/**
 * Changes of the sums over live outputs, collected so that each sum is written once. An output changes one holding. Supplies are
 * added up from the holdings at the end, because adding bigints is most of the cost.
 */
export class Sums {
  readonly #nativeId: string;
  readonly #native: Heights;
  readonly #tokens = new Map<string, Heights>();
  /** Keyed by address and asset. The native asset's `amount` stays 0 here, because it equals the capacity. */
  readonly #holdings = new Map<string, Map<string, HoldingDelta>>();
  /** Keyed by address and kind. Most outputs are plain or hold a token, so this is small. */
  readonly #kinds = new Map<string, KindDelta>();

  constructor(nativeId: string) {
    this.#nativeId = nativeId;
    this.#native = this.#token(nativeId);
  }

  /** The output becomes live. */
  add(output: Held): void {
    this.#change(output, 1, output.amount ?? 0n, output.capacity);
  }

  /** The output stops being live. */
  remove(output: Held): void {
    this.#change(output, -1, -(output.amount ?? 0n), -output.capacity);
  }

  /** A block at `height` mentions the asset and, as every output does, the native one. */
  see(assetId: string, height: number): void {
    this.#native.firstHeight = lower(this.#native.firstHeight, height);
    if (assetId === this.#nativeId) return;
    const token = this.#token(assetId);
    token.firstHeight = lower(token.firstHeight, height);
  }

  mint(assetId: string, height: number): void {
    const token = this.#token(assetId);
    token.firstMint = lower(token.firstMint, height);
  }

  /** The assets that change, the native one first. */
  assetIds(): string[] {
    return [...this.#tokens.keys()];
  }

  tokens(): TokenDelta[] {
    const supplies = new Map<string, bigint>();
    const outputs = new Map<string, number>();
    const add = (assetId: string, size: bigint) =>
      supplies.set(assetId, (supplies.get(assetId) ?? 0n) + size);
    for (const ofAddress of this.#holdings.values()) {
      for (const { assetId, count, amount, capacity } of ofAddress.values()) {
        outputs.set(assetId, (outputs.get(assetId) ?? 0) + count);
        // Every output holds capacity of the native asset.
        add(this.#nativeId, capacity);
        if (assetId !== this.#nativeId) add(assetId, amount);
      }
    }
    return [...this.#tokens].map(([assetId, { firstHeight, firstMint }]) => ({
      assetId,
      supply: supplies.get(assetId) ?? 0n,
      outputs: outputs.get(assetId) ?? 0,
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

  #change(output: Held, count: 1 | -1, amount: bigint, capacity: bigint): void {
    const { addressKey, assetId } = output;
    let ofAddress = this.#holdings.get(addressKey);
    if (!ofAddress) {
      ofAddress = new Map();
      this.#holdings.set(addressKey, ofAddress);
    }
    let delta = ofAddress.get(assetId);
    if (!delta) {
      this.#token(assetId);
      const keyStart = addressKey.slice(0, 2 + 2 * KEY_START);
      delta = { addressKey, keyStart, assetId, count: 0, amount: 0n, capacity: 0n };
      ofAddress.set(assetId, delta);
    }
    delta.count += count;
    delta.capacity += capacity;
    if (output.amount !== null) delta.amount += amount;
    else if (output.kind !== PLAIN_OUTPUT) {
      const kind = kindWord(output.kind);
      const key = `${addressKey} ${kind}`;
      const ofKind = this.#kinds.get(key) ?? { addressKey, kind, count: 0, capacity: 0n };
      ofKind.count += count;
      ofKind.capacity += capacity;
      this.#kinds.set(key, ofKind);
    }
  }

  /** The heights of an asset, which from the first call on belongs to `assetIds`. */
  #token(assetId: string): Heights {
    let heights = this.#tokens.get(assetId);
    if (!heights) {
      heights = { firstHeight: null, firstMint: null };
      this.#tokens.set(assetId, heights);
    }
    return heights;
  }
}

const lower = (height: number | null, other: number): number =>
  height === null || other < height ? other : height;

const ADD_TO_TOKENS = forRows(
  {
    assetId: "token",
    supply: "amount",
    outputs: "bigint",
    holders: "bigint",
    firstHeight: "bigint",
    firstMint: "bigint",
  },
  ({ sql, each, from }) => {
    const first = sql.least("tokens.first_height", each.firstHeight);
    const mint = sql.least("tokens.first_mint_height", each.firstMint);
    return `UPDATE tokens SET supply = ${sql.add("tokens.supply", each.supply)},
       output_count = tokens.output_count + ${each.outputs}, holder_count = tokens.holder_count + ${each.holders},
       first_height = ${first}, first_mint_height = ${mint} ${from("FROM")}
     WHERE tokens.id = ${each.assetId} AND (${each.supply} <> 0 OR ${each.outputs} <> 0 OR ${each.holders} <> 0
       OR ${first} IS DISTINCT FROM tokens.first_height OR ${mint} IS DISTINCT FROM tokens.first_mint_height)`;
  },
);

const HOLDINGS = table(
  "holdings",
  { addressKey: "owner", assetId: "token" },
  {
    count: ["bigint", "output_count"],
    amount: "amount",
    capacity: "amount",
    keyStart: ["bytes", "key_start", "sqlite"],
  },
);
const ADD_HOLDINGS = insertInto(HOLDINGS, ({ sql }) => addition(sql, "holdings", ["amount", "capacity"]));
const DELETE_EMPTY_HOLDINGS = deleteFrom(
  HOLDINGS,
  () => "AND holdings.output_count = 0 RETURNING holdings.token_id AS token",
);
const HELD = forRows(
  HOLDINGS.key,
  ({ from, matches }) =>
    `SELECT h.token_id AS token FROM holdings h ${from(",")} WHERE ${matches("h", "addressKey", "assetId")}`,
);
type TokenOf = { token: number };

const KINDS = table(
  "kinds",
  { addressKey: "owner", kind: "text" },
  { count: ["bigint", "output_count"], capacity: "amount" },
);
const ADD_KINDS = insertInto(KINDS, ({ sql }) => addition(sql, "kinds", ["capacity"]));
const DELETE_EMPTY_KINDS = deleteFrom(KINDS, () => "AND kinds.output_count = 0");

/** The update that adds to an existing row of a table of sums. */
function addition(sql: Dialect, table: string, amounts: string[]): string {
  const sums = amounts.map((name) => `${name} = ${sql.add(`${table}.${name}`, `excluded.${name}`)}`);
  return `UPDATE SET output_count = ${table}.output_count + excluded.output_count, ${sums.join(", ")}`;
}

/** Adds to supplies, holdings and sums by kind, and lowers first heights that are higher or not stored. */
export function* saveSums(tables: Writer, sums: Sums): Steps<void> {
  const holders = yield* saveHoldings(tables, sums.holdings());
  const tokens = sums.tokens().map((delta) => ({ ...delta, holders: holders.get(delta.assetId) ?? 0 }));
  yield* tables.save(ADD_TO_TOKENS, tokens);
  const kinds = sums.kinds();
  yield* tables.save(ADD_KINDS, kinds);
  yield* tables.save(DELETE_EMPTY_KINDS, kinds.filter(shrinks));
}

const shrinks = ({ count }: { count: number }): boolean => count < 0;

/** Returns by how many each asset's number of holders grew. */
function* saveHoldings(tables: Writer, deltas: HoldingDelta[]): Steps<Map<string, number>> {
  const grown = deltas.filter(({ count }) => count > 0);
  const held = yield* tables.allOf<TokenOf, HoldingDelta>(HELD, grown);
  yield* tables.save(ADD_HOLDINGS, deltas);
  const ended = yield* tables.allOf<TokenOf, HoldingDelta>(DELETE_EMPTY_HOLDINGS, deltas.filter(shrinks));
  const fewer = new Map<number, number>();
  for (const { token } of [...held, ...ended]) fewer.set(token, (fewer.get(token) ?? 0) + 1);
  const holders = new Map<string, number>();
  for (const { assetId } of grown) holders.set(assetId, (holders.get(assetId) ?? 0) + 1);
  for (const [assetId, id] of yield* tables.tokenIds([...new Set(deltas.map(({ assetId }) => assetId))])) {
    holders.set(assetId, (holders.get(assetId) ?? 0) - (fewer.get(id) ?? 0));
  }
  return holders;
}
