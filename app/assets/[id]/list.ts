import { type CsvColumn, declareList, ENDLESS_PAGE } from "#lib/client/list.ts";
import { pageField, textField } from "#lib/client/url-state.ts";
import type { Holder } from "#lib/questions/asset-holders/contract.ts";
import { terms } from "#terms";

export const holderList = declareList({
  name: "holders",
  path: "/v0/assets/{id}/holders",
  idOf: ({ address }) => address,
  fields: {
    /** The cursor that the list starts after. */
    from: textField,
    /** The place of its first row in the whole list; 1 if unknown. */
    row: pageField,
  },
  query: {
    cursor: ({ from }) => from,
    pageSize: () => ENDLESS_PAGE,
  },
  csv: {
    address: [["address", ({ address }) => address]],
    amount: [["amount", ({ amount }) => amount]],
    get outputCount(): CsvColumn<Holder>[] {
      return [[terms.output.many, ({ outputCount }) => outputCount]];
    },
    capacity: [["capacity", ({ capacity }) => capacity]],
  },
  exportSize: 1000,
});
