import { declareList } from "#lib/client/list.ts";
import { textField } from "#lib/client/url-state.ts";
import { type AssetChangeView, changeCsv, changeFields, changeQuery } from "../[blockHash]/list.ts";

type RangeView = AssetChangeView & { from: string; to: string };

/** What the blocks after `from` up to `to` moved: the list of a block's page, over a range. */
export const rangeChangeList = declareList({
  name: "asset-changes",
  path: "/v0/asset-changes",
  idOf: (change) => change.asset.id,
  fields: { ...changeFields, from: textField, to: textField },
  query: { ...changeQuery, from: ({ from }: RangeView) => from, to: ({ to }: RangeView) => to },
  csv: {
    ...changeCsv,
    blocks: [["blocks", ({ blocks }) => blocks]],
    transactions: [["transactions", ({ transactions }) => transactions]],
  },
  exportSize: 100,
});
