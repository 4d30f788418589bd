import { declareList, ENDLESS_PAGE } from "#lib/client/list.ts";
import { placeFields, textField } from "#lib/client/url-state.ts";
import type { Holder } from "#lib/queries/asset-holders/contract.ts";
import type { Scaled } from "#lib/util/amounts.ts";
import { amountColumns, type CsvColumn, plainColumns } from "#lib/util/csv.ts";
import { terms } from "#terms";

export const holderList = declareList({
  name: "holders",
  path: "/v0/assets/{id}/holders",
  idOf: ({ address }) => address,
  fields: {
    /** Number, hash or time of the block that the list is as of; `""` for the tip. */
    at: textField,
    ...placeFields,
  },
  query: {
    cursor: ({ from }) => from,
    pageSize: () => ENDLESS_PAGE,
    at: ({ at }) => at,
  },
  csv: {
    ...plainColumns("address", "amount"),
    get outputCount(): CsvColumn<Holder>[] {
      return [[terms.output.many, ({ outputCount }) => outputCount]];
    },
    ...plainColumns("capacity"),
  },
  exportSize: 1000,
});

/** The list for an exported file, whose amounts need the scale of the asset. */
export const holderFile = (asset: Scaled): Pick<typeof holderList, "name" | "csv"> => ({
  name: holderList.name,
  csv: { ...holderList.csv, amount: amountColumns("amount", () => asset) },
});
