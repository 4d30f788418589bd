import { type AssetNames, displayDecimals, displaySymbol, uniqueCount } from "#lib/client/chain-text.ts";
import { formatAmount } from "#lib/client/format.ts";
import { terms } from "#terms";

export interface PageAsset extends AssetNames {
  standard: string;
}

/** Decimals of the amounts on an asset's page. If they are unknown, the headline says that amounts are raw integers. */
export const scaleOf = (asset: AssetNames): number => displayDecimals(asset) ?? 0;

/** How an `Amount` of the page's asset is shown. */
export const scaleAndUnit = (asset: PageAsset) => ({
  decimals: scaleOf(asset),
  unique: terms.outputKind(asset.standard)?.unique,
});

/** An amount in whole units, with its symbol. */
export function amountOf(asset: PageAsset, amount: bigint | string): string {
  const { decimals, unique } = scaleAndUnit(asset);
  const { text } = uniqueCount(amount, decimals, unique) ?? formatAmount(amount, decimals);
  return `${text} ${displaySymbol(asset)}`;
}
