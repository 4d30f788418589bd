import { declareList, ENDLESS_PAGE } from "#lib/client/list.ts";
import { splitOutPoint } from "#lib/client/paths.ts";
import { choiceField, placeFields, textField } from "#lib/client/url-state.ts";
import type { UtxoEntry } from "#lib/queries/address-utxos/contract.ts";
import { amountColumns, assetColumns, plainColumns } from "#lib/util/csv.ts";

const isOutPoint = (from: string): boolean => from.includes(":");
const tokenOf = ({ tokenInfo }: UtxoEntry) => tokenInfo;

export const utxoList = declareList({
  name: "utxos",
  path: "/v0/addresses/{address}/utxos",
  idOf: (entry) => entry.outPoint,
  fields: {
    /** Id of the only token to list; `""` for all. */
    token: textField,
    order: choiceField(["desc", "asc"]),
    /** `value` sorts the loaded rows by value. */
    sort: choiceField(["", "value"]),
    flagged: choiceField(["hide", "show"]),
    /** Number, hash or time of the block that the list is as of; `""` for the tip. */
    at: textField,
    ...placeFields,
  },
  query: {
    token: ({ token }) => token,
    order: ({ order }) => (order === "desc" ? order : undefined),
    after: ({ from }) => (isOutPoint(from) ? from : ""),
    at: ({ at }) => at,
    cursor: ({ from }) => (isOutPoint(from) ? "" : from),
    include: () => "kind,time,block",
    value: () => "usd",
    pageSize: () => ENDLESS_PAGE,
  },
  isLive: ({ at }) => at === "",
  before: ({ order }, id) => ({ cursor: "", after: id, order: order === "asc" ? "desc" : "asc" }),
  csv: {
    outPoint: [
      ["out_point", ({ outPoint }) => outPoint],
      ["transaction_hash", ({ outPoint }) => splitOutPoint(outPoint)[0]],
      ["output_index", ({ outPoint }) => splitOutPoint(outPoint)[1]],
    ],
    ...plainColumns("blockHeight", "blockHash", "blockTime", "token"),
    tokenInfo: assetColumns(tokenOf),
    amount: amountColumns("amount", tokenOf),
    ...plainColumns("capacity", "priceUsd", "valueUsd", "kind", "until", "compensation"),
  },
  exportSize: 1000,
});

const { before: _, ...forwards } = utxoList;
/** A wallet's outputs, one address after the other. They cannot be read backwards, or from an out point. */
export const walletUtxoList: typeof utxoList = forwards;
