import { HOLDINGS_PAGE, type Holding, MAX_HOLDING_SEARCH, MAX_HOLDINGS_PAGE } from "#lib/client/holdings.ts";
import { declareList } from "#lib/client/list.ts";
import { numberField, pageField, textFieldUpTo } from "#lib/client/url-state.ts";
import { amountColumns, type CsvColumn, plainColumns } from "#lib/util/csv.ts";
import { terms } from "#terms";

const ofOne = ({ members }: Holding, text: string): string => (members === 1 ? text : "");

/** The holdings of an address as of a block, a row for each token, the most valuable first. */
export const holdingList = declareList({
  name: "holdings",
  path: "/holdings",
  idOf: ({ id }) => id,
  fields: { search: textFieldUpTo(MAX_HOLDING_SEARCH), page: pageField, size: numberField([HOLDINGS_PAGE]) },
  query: {
    address: (_, { address }) => address,
    at: (_, { at }) => at,
    collections: () => "yes",
    search: ({ search }) => search,
    page: ({ page }) => page,
    pageSize: ({ size }) => size,
  },
  csv: {
    // A row of several NFTs has no id, symbol or name of its own.
    id: [["token", (holding) => ofOne(holding, holding.id)]],
    symbol: [["symbol", (holding) => ofOne(holding, holding.symbol)]],
    name: [["name", (holding) => ofOne(holding, holding.name)]],
    ...plainColumns("decimals", "standard"),
    icon: [],
    public: [["listed", ({ public: listed }) => (listed ? "yes" : "no")]],
    amount: amountColumns("amount", (holding: Holding) => holding),
    get outputCount(): CsvColumn<Holding>[] {
      return [[terms.output.many, ({ outputCount }) => outputCount]];
    },
    ...plainColumns("capacity"),
    price: [["price_usd", ({ price }) => price ?? ""]],
    priceTime: [
      ["price_time", ({ priceTime }) => (priceTime === null ? "" : new Date(priceTime).toISOString())],
    ],
    valueUsd: [["value_usd", ({ valueUsd }) => valueUsd ?? ""]],
    ...plainColumns("collection", "members"),
  },
  exportSize: MAX_HOLDINGS_PAGE,
  // A file has a row for each NFT.
  exportQuery: { collections: "no" },
});
