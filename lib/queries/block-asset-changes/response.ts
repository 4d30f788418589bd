import { type BlockReference, isBlockHash } from "#lib/contract/block-reference.ts";
import { ApiError, serverIsBusy } from "#lib/contract/errors.ts";
import type { Store } from "#lib/store/store.ts";
import { blockAtTime, blockHashAt, chainTip } from "../chain.ts";
import { type AssetChangeRow, changeFields } from "../change-rows.ts";
import type { ChangeFilters } from "../change-selection.ts";
import { type Fields, list, literal, object, optional, simple } from "../codec.ts";
import { type Context, direct, type Given } from "../operation.ts";
import type { Values } from "../parse.ts";
import { blockHeaders } from "../walk.ts";
import { type AssetChange, contract } from "./contract.ts";
import { type AssetChangePage, assetChangesOfBlock } from "./read.ts";
import { reference } from "./reference.ts";

/** A change with the kind of its asset, if the request includes that. */
export type WithKind<Row extends AssetChangeRow> = Row & { kind?: string };
type Page = Omit<AssetChangePage, "rows"> & { rows: WithKind<AssetChangeRow>[] };

/** A page of entries with these fields, and with `kind` where rows have it. */
export const changesCodec = <Row extends AssetChangeRow, Value extends AssetChange>(
  fields: Fields<Row, Omit<Value, "kind">>,
) =>
  object<{ rows: WithKind<Row>[]; total: number }, { result: Value[]; total: number }>({
    result: list(
      (page) => page.rows,
      optional<WithKind<Row>, Value>(
        { ...fields, kind: simple((row) => row.kind) } as Fields<WithKind<Row>, Value>,
        [{ has: (row) => row.kind !== undefined, names: ["kind"] }],
      ),
    ),
    total: literal((page) => page.total),
  });

/** Makes the filters of a query from a request's parameters. */
export const filtersOf = ({
  orderKey,
  orderDirection,
  page,
  pageSize,
  ...filters
}: Omit<Values<typeof contract>, "blockHash" | "include">): ChangeFilters => ({
  ...filters,
  volumeOrder: orderKey && orderDirection,
  offset: Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER),
  limit: pageSize,
});

/** Adds the kind of each asset if the request includes it. */
export const withKinds = <Row extends AssetChangeRow, Page extends { rows: Row[] }>(
  page: Page,
  include: readonly "kind"[],
) =>
  include.length === 0
    ? page
    : { ...page, rows: page.rows.map((row) => ({ ...row, kind: row.asset.standard })) };

/** The most attempts to read a block that is not named by its hash: reorganisations may replace it between two reads. */
const MAX_LOOKUPS = 3;

/** Returns the hash of the block that a reference names, or null. It does not check that a given hash is stored. */
export async function hashOf(store: Store, block: BlockReference): Promise<string | null> {
  if (block === "tip") return (await store.query(chainTip))?.hash ?? null;
  if ("hash" in block) return block.hash;
  if ("height" in block) return store.query(blockHashAt, block.height);
  return (await store.query(blockAtTime, block.time))?.hash ?? null;
}

/** Many proxies take at most 4 KB of headers. */
const MAX_CONTENT_LOCATION = 2_000;

/** The header with the URL that has the block's hash, unless the request gave it or the URL is long. */
export function contentLocation(
  path: string,
  hash: string,
  { params, query }: Given,
): Record<string, string> {
  if (isBlockHash(params.blockHash ?? "")) return {};
  const same = new URLSearchParams(query).toString();
  const url = `${path.replace("{blockHash}", hash)}${same && `?${same}`}`;
  return url.length > MAX_CONTENT_LOCATION ? {} : { "Content-Location": url };
}

const implement = ({ store, base }: Context) =>
  direct<typeof contract, Page>(contract, {
    async query({ blockHash: block, include, ...filters }) {
      // If a reorganisation has replaced the block, the next attempt finds the new one.
      for (let attempt = 0; attempt < MAX_LOOKUPS; attempt++) {
        const blockHash = await hashOf(store, block);
        if (blockHash === null) throw new ApiError("NOT_FOUND");
        const changes = await store.query(assetChangesOfBlock, { blockHash, ...filtersOf(filters) });
        if (changes) return withKinds(changes, include);
        if (typeof block === "object" && "hash" in block) throw new ApiError("NOT_FOUND");
      }
      throw serverIsBusy();
    },

    codec: changesCodec<AssetChangeRow, AssetChange>(changeFields(base)),

    headers: ({ tip, block }, given) => ({
      ...blockHeaders({ tip, asOf: block }),
      "X-Parent-Hash": block.parentHash,
      "X-Block-Time": new Date(block.timestamp).toISOString(),
      ...contentLocation(base + contract.path, block.hash, given),
    }),
  });

export const blockAssetChanges = { contract, reference, implement };
