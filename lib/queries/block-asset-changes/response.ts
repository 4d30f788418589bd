import { type BlockReference, isBlockHash } from "#lib/contract/block-reference.ts";
import { ApiError, serverIsBusy } from "#lib/contract/errors.ts";
import type { Store } from "#lib/store/store.ts";
import { toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { blockHashAt, chainTip } from "../chain.ts";
import type { AssetChangeRow, ChangeFilters } from "../change-selection.ts";
import { assetOf, type Fields, list, literal, object, optional, plainText, simple } from "../codec.ts";
import type { Context, Implementation } from "../operation.ts";
import { check, type Values } from "../parse.ts";
import { type AssetChange, contract } from "./contract.ts";
import { type AssetChangePage, assetChangesOfBlock } from "./read.ts";
import { reference } from "./reference.ts";

/** A row, and what issued its asset if that was asked for. */
export type ValuedChangeRow = AssetChangeRow & { kind?: string };
export type ValuedChangePage = Omit<AssetChangePage, "rows"> & { rows: ValuedChangeRow[] };

const usdOf = ({ amountUsd }: AssetChangeRow): string => toUnits(amountUsd, USD_DECIMALS);

export const changeFields = (base: string): Fields<AssetChangeRow, Omit<AssetChange, "kind">> => ({
  // JSON numbers with all their digits.
  amount: { value: (row) => BigInt(row.amount), json: (row) => row.amount },
  amountUsd: { value: usdOf, json: usdOf },
  asset: simple((row) => assetOf(row.asset, base)),
  tags: simple((row) => row.tags),
  amountExact: plainText((row) => row.amount),
  amountUsdExact: plainText(usdOf),
});

/** Of a page of entries with these fields, and their kind if it was asked for. */
export const changesCodec = <Row extends ValuedChangeRow, Value extends AssetChange>(
  fields: Fields<Row, Omit<Value, "kind">>,
) =>
  object<{ rows: Row[]; total: number }, { result: Value[]; total: number }>({
    result: list(
      (page) => page.rows,
      optional<Row, Value>({ ...fields, kind: simple((row) => row.kind) } as Fields<Row, Value>, [
        { has: (row) => row.kind !== undefined, names: ["kind"] },
      ]),
    ),
    total: literal((page) => page.total),
  });

/** What a request for asset changes asks of the question. */
export const filtersOf = ({
  assetName,
  search,
  tags,
  orderKey,
  orderDirection,
  page,
  pageSize,
}: Omit<Values<typeof contract>, "blockHash" | "include">): ChangeFilters => ({
  assetName,
  search,
  tags,
  volumeOrder: orderKey && orderDirection,
  offset: Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER),
  limit: pageSize,
});

/** The page, with what issued each asset if that was asked for. */
export const withKinds = <Row extends AssetChangeRow, Page extends { rows: Row[] }>(
  page: Page,
  include: readonly "kind"[],
) =>
  include.length === 0
    ? page
    : { ...page, rows: page.rows.map((row) => ({ ...row, kind: row.asset.standard })) };

/** How often a block that is asked for by height or as the tip is looked up while reorganisations replace it. */
const MAX_LOOKUPS = 3;

/** Null if there is no such block. Whether a given hash is stored, `assetChangesOfBlock` tells. */
async function hashOf(store: Store, block: BlockReference): Promise<string | null> {
  if (block === "tip") return (await store.query(chainTip))?.hash ?? null;
  return "hash" in block ? block.hash : store.query(blockHashAt, block.height);
}

const implement = ({
  store,
  base,
}: Context): Implementation<typeof contract, Values<typeof contract>, ValuedChangePage> => ({
  async parse(params, search) {
    return check(contract, params, search).values();
  },

  async query({ blockHash: block, include, ...filters }) {
    // A reorganisation may replace the block of a height between the two reads; then the next one is there.
    for (let attempt = 0; attempt < MAX_LOOKUPS; attempt++) {
      const blockHash = await hashOf(store, block);
      if (blockHash === null) throw new ApiError("NOT_FOUND");
      const changes = await store.query(assetChangesOfBlock, { blockHash, ...filtersOf(filters) });
      if (changes) return withKinds(changes, include);
      if (typeof block === "object" && "hash" in block) throw new ApiError("NOT_FOUND");
    }
    throw serverIsBusy();
  },

  codec: changesCodec<ValuedChangeRow, AssetChange>(changeFields(base)),

  headers({ block }, given) {
    const headers: Record<string, string> = {
      "X-Block-Height": String(block.height),
      "X-Block-Hash": block.hash,
      "X-Parent-Hash": block.parentHash,
      "X-Block-Time": new Date(block.timestamp).toISOString(),
    };
    if (!isBlockHash(given.params.blockHash ?? "")) {
      const path = contract.path.replace("{blockHash}", block.hash);
      const query = new URLSearchParams(given.query).toString();
      headers["Content-Location"] = `${base}${path}${query && `?${query}`}`;
    }
    return headers;
  },
});

export const blockAssetChanges = { contract, reference, implement };
