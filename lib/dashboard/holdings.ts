import { z } from "zod";
import { tipHeaders } from "#lib/api/responses.ts";
import {
  HOLDINGS_PAGE,
  type Holding,
  MAX_HOLDING_SEARCH,
  MAX_HOLDINGS_PAGE,
  UNNAMED_NFTS,
} from "#lib/client/holdings.ts";
import { asOf as block } from "#lib/contract/block-reference.ts";
import { integer } from "#lib/contract/operation.ts";
import { type AddressOverview, addressOverview } from "#lib/queries/address-overview.ts";
import { contract as addressUtxos } from "#lib/queries/address-utxos/contract.ts";
import { check } from "#lib/queries/parse.ts";
import { PRICE_DECIMALS, toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { shownAsset } from "./home.ts";
import { addressKeysOf, pageData } from "./page-data.ts";

/** The last page that may be requested. No address holds as many assets. */
const MAX_PAGE = 1_000_000;

const parameters = {
  params: z.object({}),
  query: z.object({
    at: block,
    collections: z.enum(["no", "yes"]).default("no"),
    search: z
      .string()
      .max(MAX_HOLDING_SEARCH, `Expected at most ${MAX_HOLDING_SEARCH} characters`)
      .default(""),
    page: integer(1, 1, MAX_PAGE),
    pageSize: integer(HOLDINGS_PAGE, 1, MAX_HOLDINGS_PAGE),
  }),
};

/**
 * `GET /holdings`: what the `address`, or several, hold together, the most valuable first. Its parameters are `search` (part of
 * a name, a symbol or an id, or `UNNAMED_NFTS`), `at` (a block), `collections` (whether each collection is one row, and NFTs
 * without a name are another), `page` and `pageSize`.
 */
export const handleHoldings = pageData(
  () => addressUtxos.scope,
  async (service, given) => {
    const { at, collections, search, page, pageSize } = check(parameters, {}, given).values();
    const { holdings, matchCount, tip, asOf } = await service.store.query(addressOverview, {
      addressKey: await addressKeysOf(service, given),
      at,
      collections: collections === "yes",
      ...(search === UNNAMED_NFTS ? { unnamed: true } : { search }),
      offset: (page - 1) * pageSize,
      limit: pageSize,
    });
    return {
      body: { result: shownHoldings(holdings), total: matchCount },
      headers: tipHeaders(tip && { ...tip, ...asOf }),
    };
  },
);

export function shownHoldings(holdings: AddressOverview["holdings"]): Holding[] {
  return holdings.map(({ token, amount, capacity, outputCount, price, valueUsd, members, collection }) => ({
    ...shownAsset(token),
    standard: token.standard,
    amount,
    capacity,
    outputCount,
    price: price && toUnits(price.usd, PRICE_DECIMALS),
    priceTime: price?.time ?? null,
    valueUsd: valueUsd === null ? null : toUnits(valueUsd, USD_DECIMALS),
    collection,
    members,
  }));
}
