import { type Shares, sharesIn } from "#lib/client/format.ts";
import type { TokenInfo } from "#lib/contract/operation.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/util/amounts.ts";

/** One asset of an address, from `GET /holdings`. Amounts are decimal digits in the smallest unit. */
export interface Holding extends Pick<TokenInfo, "id" | "name" | "symbol" | "icon" | "decimals" | "public"> {
  /** The API's `kind` of the asset. */
  standard: string;
  amount: string;
  /** Capacity of the asset's outputs, in the native asset's smallest unit. */
  capacity: string;
  outputCount: number;
  /** US dollars for one whole token, as decimal text. Without a price this and the next two are null. */
  price: string | null;
  /** Time of the price, in milliseconds since the Unix epoch. */
  priceTime: number | null;
  /** US dollars, as decimal text with at most 8 decimals. */
  valueUsd: string | null;
  /** Id of an NFT's collection; `""` for other assets, and for NFTs without a name that are one row. */
  collection: string;
  /** Number of NFTs if this sums up several; otherwise 1. */
  members: number;
}

/** Default page size. */
export const HOLDINGS_PAGE = 100;
/** Largest page size, for exports. */
export const MAX_HOLDINGS_PAGE = 5_000;
/** The search that finds the NFTs without a name, which have one row. */
export const UNNAMED_NFTS = "unnamed NFTs";
/** Maximum length of a search text, in UTF-16 code units. */
export const MAX_HOLDING_SEARCH = 200;

/** Units of 10^-8 US dollars; null without a price. */
export const usdOf = ({ valueUsd }: Holding): bigint | null =>
  valueUsd === null ? null : parseDecimal(valueUsd, USD_DECIMALS);

/**
 * Shares in the value of an address, by the ids of holdings.
 * @param largest the first page of the address's holdings
 * @param valueUsd value of all holdings, in units of 10^-8 US dollars
 */
export const sharesOfValue = (largest: readonly Holding[], valueUsd: string): Shares =>
  sharesIn(
    BigInt(valueUsd),
    largest.map((holding) => [holding.id, usdOf(holding) ?? 0n]),
  );
