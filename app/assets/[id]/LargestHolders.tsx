import { AddressLink } from "#components/Address.tsx";
import { placeColour } from "#components/asset-colour.ts";
import { isSeen, ShareLine, withOthers } from "#components/charts/ShareBar.tsx";
import { cutAddress, cutToText, type Shares } from "#lib/client/format.ts";
import type { Holder } from "#lib/queries/asset-holders/contract.ts";
import { amountOf, type PageAsset } from "./amounts.ts";

/** Holders that are shown individually. */
const PARTS = 4;

/** The largest holders' shares of the supply. `holders` are the first of the list. */
export function LargestHolders(props: {
  asset: PageAsset;
  supply: string;
  shares: Shares;
  holders: readonly Holder[];
}) {
  const { asset, supply, shares, holders } = props;
  const largest = holders.slice(0, PARTS).filter(({ amount }) => isSeen(BigInt(amount), BigInt(supply)));
  if (largest.length < 2) return null;
  const textOf = (amount: bigint) => amountOf(asset, amount);
  const parts = largest.map(({ address, amount }, at) => ({
    key: address,
    name: cutToText(cutAddress(address)),
    label: <AddressLink address={address} narrows />,
    colour: placeColour(at),
    amount: BigInt(amount),
    text: textOf(BigInt(amount)),
  }));
  return (
    <div className="mt-4 mb-1">
      <ShareLine
        title="Shares of the supply"
        parts={withOthers(parts, BigInt(supply), textOf)}
        shares={shares}
      />
    </div>
  );
}
