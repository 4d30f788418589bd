import type { Holding } from "#lib/client/holdings.ts";
import { PRICE_DECIMALS, toUnits, USD_DECIMALS } from "#lib/contract/amounts.ts";
import type { AddressOverview } from "#lib/store/store.ts";

/** Holdings as the pages show them. */
export function shownHoldings(holdings: AddressOverview["holdings"]): Holding[] {
  return holdings.map(({ token, amount, capacity, outputCount, price, valueUsd }) => ({
    id: token.id,
    name: token.name,
    symbol: token.symbol,
    icon: token.icon,
    decimals: token.decimals,
    standard: token.standard,
    public: token.public,
    amount,
    capacity,
    outputCount,
    price: price && toUnits(price.usd, PRICE_DECIMALS),
    priceTime: price?.time ?? null,
    valueUsd: valueUsd === null ? null : toUnits(valueUsd, USD_DECIMALS),
  }));
}
