import { declareList, ENDLESS_PAGE } from "#lib/client/list.ts";
import { choiceField, placeFields, textField } from "#lib/client/url-state.ts";
import type { StatementLine } from "#lib/queries/address-statement/contract.ts";
import { amountColumns, assetColumns, plainColumns } from "#lib/util/csv.ts";

/** The names of the token, which the list requests with each line. */
const tokenOf = ({ tokenInfo }: StatementLine) => tokenInfo!;

/** The statement of an address: a line for each transaction and token. */
export const statementList = declareList({
  name: "statement",
  path: "/v0/addresses/{address}/statement",
  idOf: ({ transaction, token }) => `${transaction}:${token}`,
  fields: {
    token: textField,
    order: choiceField(["desc", "asc"]),
    /** The block before the first line, and the last line's block; `""` for the first block and the tip. */
    since: textField,
    to: textField,
    /** The past block that the page is as of, which ends the list. Then `to` is empty. */
    at: textField,
    ...placeFields,
  },
  query: {
    token: ({ token }) => token,
    from: ({ since }) => since,
    to: ({ to, at }) => to || at,
    cursor: ({ from }) => from,
    include: () => "token",
    value: () => "usd",
    order: ({ order }) => (order === "desc" ? order : undefined),
    per: () => "transaction",
    pageSize: () => ENDLESS_PAGE,
  },
  csv: {
    height: [["block_height", ({ height }) => height]],
    ...plainColumns("blockHash", "transaction", "time", "token"),
    tokenInfo: assetColumns(tokenOf),
    ...plainColumns("standard"),
    opening: amountColumns("opening", tokenOf),
    in: amountColumns("in", tokenOf),
    out: amountColumns("out", tokenOf),
    closing: amountColumns("closing", tokenOf),
    ...plainColumns("priceUsd", "valueUsd"),
  },
  exportSize: 1000,
});
