import { type AssetNames, displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import { formatAmount } from "#lib/client/format.ts";

/** Decimals of the amounts on an asset's page. If they are unknown, the headline says that amounts are raw integers. */
export const scaleOf = (asset: AssetNames): number => displayDecimals(asset) ?? 0;

/** An amount in whole units, with its symbol. */
export const amountText = (asset: AssetNames, amount: bigint | string): string =>
  `${formatAmount(amount, scaleOf(asset)).text} ${displaySymbol(asset)}`;
