import { declareList, ENDLESS_PAGE } from "#lib/client/list.ts";
import { pageField, textField } from "#lib/client/url-state.ts";
import type { OutputEntry } from "#lib/queries/transaction-outputs/contract.ts";
import { amountColumns } from "#lib/util/csv.ts";

const startsAt = (from: string) => from.includes(":");
const indexIn = (outPoint: string) => Number(outPoint.split(":")[1]);

/** A list of a transaction's inputs or outputs, apart from its path. */
const common = {
  idOf: ({ outPoint }: OutputEntry) => outPoint,
  fields: {
    /** The cursor, or of outputs the out point, that the list starts after, and the place of its first row. */
    from: textField,
    row: pageField,
  },
  query: {
    cursor: ({ from }: { from: string }) => (startsAt(from) ? "" : from),
    firstIndex: ({ from }: { from: string }) => (startsAt(from) ? indexIn(from) + 1 : undefined),
    include: () => "kind",
    value: () => "usd",
    pageSize: () => ENDLESS_PAGE,
  },
  csv: {
    outPoint: [["out_point", ({ outPoint }: OutputEntry) => outPoint]],
    address: [["address", ({ address }: OutputEntry) => address]],
    blockHeight: [["block_height", ({ blockHeight }: OutputEntry) => blockHeight ?? ""]],
    token: [["token", ({ token }: OutputEntry) => token]],
    tokenInfo: [
      ["symbol", ({ tokenInfo }: OutputEntry) => tokenInfo.symbol],
      ["name", ({ tokenInfo }: OutputEntry) => tokenInfo.name],
      ["decimals", ({ tokenInfo }: OutputEntry) => tokenInfo.decimals],
    ],
    amount: amountColumns(
      "amount",
      ({ amount }: OutputEntry) => amount,
      ({ tokenInfo }: OutputEntry) => tokenInfo,
    ),
    capacity: [["capacity", ({ capacity }: OutputEntry) => capacity]],
    priceUsd: [["price_usd", ({ priceUsd }: OutputEntry) => priceUsd ?? ""]],
    valueUsd: [["value_usd", ({ valueUsd }: OutputEntry) => valueUsd ?? ""]],
    spent: [
      ["spent_by", ({ spent }: OutputEntry) => spent?.transaction ?? ""],
      ["spent_block_height", ({ spent }: OutputEntry) => spent?.height ?? ""],
    ],
    kind: [["kind", ({ kind }: OutputEntry) => kind ?? ""]],
    until: [["until", ({ until }: OutputEntry) => until ?? ""]],
    compensation: [["compensation", ({ compensation }: OutputEntry) => compensation ?? ""]],
    blockTime: [],
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
