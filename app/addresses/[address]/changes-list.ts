import { declareList } from "#lib/client/list.ts";
import { textField } from "#lib/client/url-state.ts";
import { plainColumns } from "#lib/util/csv.ts";
import { utxoList } from "./list.ts";

/** Lists each output that an address received or spent in a range of blocks. The page shows their sums; files have every output. */
export const changeList = declareList({
  name: "changes",
  path: "/v0/addresses/{address}/changes",
  idOf: ({ outPoint, change }) => `${outPoint}:${change}`,
  fields: { since: textField, to: textField },
  query: {
    from: ({ since }) => since,
    to: ({ to }) => to,
    include: () => "kind,time,block",
    value: () => "usd",
  },
  csv: {
    ...plainColumns("change", "changeHeight", "changeTransaction"),
    ...utxoList.csv,
  },
  exportSize: 1000,
});
