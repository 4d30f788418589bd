import { type AssetNames, displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import { formatAmount } from "#lib/client/format.ts";
import { terms } from "#terms";

export interface PageAsset extends AssetNames {
  standard: string;
}

/** Decimals of the amounts on an asset's page. If they are unknown, the headline says that amounts are raw integers. */
export const scaleOf = (asset: AssetNames): number => displayDecimals(asset) ?? 0;

/** How an `Amount` of the page's asset is shown. */
export function scaleAndUnit(asset: PageAsset): { decimals: number | null; unique?: string | undefined } {
  const unique = terms.outputKind(asset.standard)?.unique;
  const decimals = scaleOf(asset);
  return unique === undefined || decimals > 0 ? { decimals } : { decimals: null, unique };
}

/** An amount in whole units, with its symbol. */
export const amountOf = (asset: AssetNames, amount: bigint | string): string =>
  `${formatAmount(amount, scaleOf(asset)).text} ${displaySymbol(asset)}`;
