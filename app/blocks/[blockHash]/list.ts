import { exactUnits } from "#lib/client/chain-text.ts";
import type { WalkOptions } from "#lib/client/export.ts";
import { declareList, pathOf, requestPage, type ViewOf } from "#lib/client/list.ts";
import { type FirstAnswer, pageQuery } from "#lib/client/queries.ts";
import { choiceField, listField, pageField, textField } from "#lib/client/url-state.ts";
import type { AssetChange, AssetChangeList } from "#lib/contract/endpoints.ts";

export const PAGE_SIZES = [10, 25, 50, 100] as const;
/** Rows of one request of an export: the API's own limit. */
const WALK_PAGE_SIZE = 100;

/** By volume; `chain`: order of first appearance in the block. */
export type Order = "desc" | "asc" | "chain";

export const orderNames: Record<Order, string> = {
  desc: "Volume, high to low",
  asc: "Volume, low to high",
  chain: "Order in the block",
};

/** The asset changes of a block. */
export const assetChangeList = declareList({
  name: "asset-changes",
  path: "/v0/blocks/{blockHash}/asset-changes",
  idOf: (change) => change.asset.id,
  fields: {
    name: textField,
    tags: listField,
    order: choiceField<Order>(["desc", "asc", "chain"]),
    page: pageField,
    size: choiceField(PAGE_SIZES),
    flagged: choiceField(["hide", "show"]),
  },
  query: {
    // The search finds names too.
    assetName: () => undefined,
    search: ({ name }) => name,
    tags: ({ tags }) => tags,
    orderKey: ({ order }) => (order === "chain" ? undefined : "volume"),
    orderDirection: ({ order }) => (order === "chain" ? undefined : order),
    page: ({ page }) => page,
    include: () => "kind",
    pageSize: ({ size }) => size,
  },
  csv: {
    asset: [
      ["asset_id", ({ asset }) => asset.id],
      ["symbol", ({ asset }) => asset.symbol],
      ["name", ({ asset }) => asset.name],
      ["decimals", ({ asset }) => asset.decimals],
    ],
    amount: [
      ["amount", ({ amount }) => amount],
      ["amount_in_units", ({ amount, asset }) => exactUnits(amount, asset)],
    ],
    // The API says 0 for no price; nothing that moved is worth exactly nothing.
    amountUsd: [
      ["amount_usd", ({ amount, amountUsd }) => (amountUsd === "0" && amount !== 0n ? "" : amountUsd)],
    ],
    tags: [["tags", ({ tags }) => tags.join("; ")]],
    // The same amounts as text.
    amountExact: [],
    amountUsdExact: [],
    // Of the outputs, their own export has it.
    kind: [],
  },
});

export type AssetChangeView = ViewOf<typeof assetChangeList>;

/** The request of the view's page, as path and query. */
export function assetChangesPath(blockHash: string, view: AssetChangeView): string {
  return pathOf(assetChangeList, { blockHash }, view);
}

/** The view's page of the list. */
export function assetChangesQuery(
  blockHash: string,
  view: AssetChangeView,
  first: FirstAnswer<AssetChangeList> | null = null,
) {
  return pageQuery<AssetChange>({
    path: assetChangesPath(blockHash, view),
    read: (signal) => requestPage(assetChangeList, { blockHash }, view, {}, signal),
    first,
  });
}

/** Reads every asset change of the view's filter. Throws what stopped it. */
export async function walkAssetChanges(
  blockHash: string,
  view: AssetChangeView,
  options: WalkOptions<AssetChange>,
) {
  const { walkPages } = await import("#lib/client/export.ts");
  const paging = { pageSize: WALK_PAGE_SIZE };
  await walkPages({
    ...options,
    read: (page) => requestPage(assetChangeList, { blockHash }, view, { ...paging, page }, options.signal),
  });
}
