import { declareList } from "#lib/client/list.ts";
import { plainColumns } from "#lib/util/csv.ts";
import { assetChangeList, changeQuery } from "../[blockHash]/list.ts";

/**
 * @param from height of the block before the range, or `""` if it begins with the first one
 * @param to hash of the range's last block, so that a reorganisation replaces no page
 */
export const rangeChangeList = (from: string, to: string) =>
  declareList({
    name: "asset-changes-of-range",
    path: "/v0/asset-changes",
    idOf: (change) => change.asset.id,
    fields: assetChangeList.fields,
    query: { ...changeQuery, from: () => from, to: () => to },
    csv: {
      ...assetChangeList.csv,
      ...plainColumns("blocks", "transactions"),
    },
    exportSize: assetChangeList.exportSize,
  });
