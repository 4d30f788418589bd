import { type AssetNames, displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import { formatAmount } from "#lib/client/format.ts";

/** The scale of the amounts on an asset's page. If it is not known, its headline says that all are raw integers. */
export const scaleOf = (asset: AssetNames): number => displayDecimals(asset) ?? 0;

/** An amount in whole units, with its symbol. */
export const amountText = (asset: AssetNames, amount: bigint | string): string =>
  `${formatAmount(amount, scaleOf(asset)).text} ${displaySymbol(asset)}`;
