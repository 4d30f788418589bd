import { declareList, ENDLESS_PAGE } from "#lib/client/list.ts";
import { splitOutPoint } from "#lib/client/paths.ts";
import { placeFields } from "#lib/client/url-state.ts";
import type { OutputEntry } from "#lib/queries/transaction-outputs/contract.ts";
import { amountColumns, assetColumns, plainColumns } from "#lib/util/csv.ts";

const startsAt = (from: string) => from.includes(":");
const tokenOf = ({ tokenInfo }: OutputEntry) => tokenInfo;
const indexIn = (outPoint: string) => Number(splitOutPoint(outPoint)[1]);

/** A list of a transaction's inputs or outputs, apart from its path. */
const common = {
  idOf: ({ outPoint }: OutputEntry) => outPoint,
  fields: placeFields,
  query: {
    cursor: ({ from }: { from: string }) => (startsAt(from) ? "" : from),
    firstIndex: ({ from }: { from: string }) => (startsAt(from) ? indexIn(from) + 1 : undefined),
    include: () => "kind",
    value: () => "usd",
    pageSize: () => ENDLESS_PAGE,
  },
  csv: {
    ...plainColumns("outPoint", "address", "blockHeight", "token"),
    tokenInfo: assetColumns(tokenOf),
    amount: amountColumns("amount", tokenOf),
    ...plainColumns("capacity", "priceUsd", "valueUsd"),
    spent: [
      ["spent_by", ({ spent }: OutputEntry) => spent?.transaction ?? ""],
      ["spent_block_height", ({ spent }: OutputEntry) => spent?.height ?? ""],
    ],
    ...plainColumns("kind", "until", "compensation"),
    blockTime: [],
    blockHash: [],
  },
  exportSize: 1000,
} as const;

export const entryLists = {
  inputs: declareList({ ...common, name: "inputs", path: "/v0/transactions/{hash}/inputs" }),
  outputs: declareList({
    ...common,
    name: "outputs",
    path: "/v0/transactions/{hash}/outputs",
    before(_, id) {
      const firstIndex = Math.max(0, indexIn(id) - ENDLESS_PAGE);
      return { cursor: "", firstIndex, pageSize: indexIn(id) - firstIndex };
    },
  }),
};
