import type { AssetNames } from "#lib/client/chain-text.ts";
import { parseDecimal, USD_DECIMALS } from "#lib/util/amounts.ts";

/** A row's part of the sums of the selected rows. */
export interface Worth {
  asset: AssetNames;
  /** The API's `kind` of the asset. */
  kind?: string | undefined;
  /** Amount in the smallest unit. */
  amount: bigint;
  signed?: boolean;
  /** Value in units of 10^-8 US dollars; null without a price. */
  usd: bigint | null;
}

/** The part of a row with an amount and a value as the API writes them. */
export const worthIn = (
  asset: AssetNames,
  kind: string | undefined,
  amount: string,
  valueUsd: string | null | undefined,
): Worth => ({
  asset,
  kind,
  amount: BigInt(amount),
  usd: parseDecimal(valueUsd ?? "", USD_DECIMALS),
});
