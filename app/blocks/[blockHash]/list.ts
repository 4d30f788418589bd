import { type Shares, sharesIn } from "#lib/client/format.ts";
import { declareList, type ViewOf } from "#lib/client/list.ts";
import { choiceField, listField, numberField, pageField, textField } from "#lib/client/url-state.ts";
import type { AssetChange } from "#lib/queries/block-asset-changes/contract.ts";
import { amountColumns, assetColumns } from "#lib/util/csv.ts";

const assetOf = ({ asset }: AssetChange) => asset;

/** The API writes 0 if there is no price; no amount that moved has a value of exactly 0. */
export const isUnpriced = ({ amount, amountUsd }: AssetChange): boolean => amountUsd === "0" && amount > 0n;

/** The first is the default. */
export const PAGE_SIZES = [25, 10, 50, 100] as const;
/** Orders by volume; `chain` is the order of first appearance in the block. */
export const ORDERS = ["desc", "asc", "chain"] as const;
export type Order = (typeof ORDERS)[number];

export const orderNames: Record<Order, string> = {
  desc: "Volume, high to low",
  asc: "Volume, low to high",
  chain: "Order in the block",
};

const fields = {
  asset: textField,
  name: textField,
  tags: listField,
  order: choiceField(ORDERS),
  page: pageField,
  size: numberField(PAGE_SIZES),
  flagged: choiceField(["hide", "show"]),
};
export type AssetChangeView = ViewOf<{ fields: typeof fields }>;

/** The query parameters of a list of asset changes, from its view. */
export const changeQuery = {
  search: ({ asset, name }) => asset || name,
  tags: ({ tags }) => tags,
  orderKey: ({ order }) => (order === "chain" ? undefined : "volume"),
  orderDirection: ({ order }) => (order === "chain" ? undefined : order),
  page: ({ page }) => page,
  include: () => "kind",
  pageSize: ({ size }) => size,
} satisfies Record<string, (view: AssetChangeView) => unknown>;

export const assetChangeList = declareList({
  name: "asset-changes",
  path: "/v0/blocks/{blockHash}/asset-changes",
  idOf: (change) => change.asset.id,
  fields,
  query: changeQuery,
  csv: {
    asset: [["asset_id", ({ asset }) => asset.id], ...assetColumns(assetOf)],
    amount: amountColumns("amount", assetOf),
    amountUsd: [["amount_usd", (change) => (isUnpriced(change) ? "" : change.amountUsd)]],
    tags: [["tags", ({ tags }) => tags.join("; ")]],
    amountExact: [],
    amountUsdExact: [],
    kind: [],
  },
  exportSize: 100,
});

/** The volume of one asset in a block or a range. */
export interface AssetVolume {
  id: string;
  /** Units of 10^-8 US dollars; `0` without a price. */
  volumeUsd: string;
}

/**
 * Shares in the volume of a block or a range, by the ids of assets.
 * @param largest the assets with the most volume
 * @param volumeUsd volume of all assets, in units of 10^-8 US dollars
 */
export const sharesOfVolume = (largest: readonly AssetVolume[], volumeUsd: string): Shares =>
  sharesIn(
    BigInt(volumeUsd),
    largest.map((one) => [one.id, BigInt(one.volumeUsd)]),
  );

/** The share of one of the assets with the most volume; undefined for others. The parameters are as in `sharesOfVolume`. */
export function shareOfAsset(largest: readonly AssetVolume[], volumeUsd: string) {
  const shares = sharesOfVolume(largest, volumeUsd);
  const priced = largest.filter((one) => one.volumeUsd !== "0");
  const texts = new Map(priced.map((one) => [one.id, shares.of(one.id, BigInt(one.volumeUsd))]));
  return (id: string) => texts.get(id);
}
