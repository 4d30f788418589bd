import type { TokenInfo } from "#lib/contract/operation.ts";

/** What an address holds of one asset, from `GET /holdings`. Amounts are exact decimal digits. */
export interface Holding extends Pick<TokenInfo, "id" | "name" | "symbol" | "icon" | "decimals" | "public"> {
  /** What issued it, as the API's `kind` of an asset says. */
  standard: string;
  /** In the smallest unit. */
  amount: string;
  /** Of the outputs that hold it, in the native asset's smallest unit. */
  capacity: string;
  outputCount: number;
  /** US dollars for one whole token, as decimal text. Without a price this and the next two are null. */
  price: string | null;
  /** When that price came into force, in milliseconds since the Unix epoch. */
  priceTime: number | null;
  /** US dollars, as decimal text with at most 8 decimals. */
  valueUsd: string | null;
  /** What the asset derives from, such as the collection of an NFT; `""` if nothing. */
  collection: string;
  /** How many NFTs of the collection this is the sum of; 1 for a single asset. */
  members: number;
}

/** Holdings that come with the page, and that one request of the panel brings. */
export const HOLDINGS_PAGE = 100;
/** Holdings of one request of an export: the most that the server gives at once. */
export const MAX_HOLDINGS_PAGE = 5_000;
/** The longest search that the server takes, in UTF-16 code units. */
export const MAX_HOLDING_SEARCH = 200;
