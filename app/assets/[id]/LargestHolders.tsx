import { AddressLink } from "#components/Address.tsx";
import { REST_COLOUR } from "#components/asset-colour.ts";
import { isSeen, type Share, ShareLine } from "#components/charts/ShareBar.tsx";
import type { AssetNames } from "#lib/client/chain-text.ts";
import { cutAddress, cutToText } from "#lib/client/format.ts";
import type { Holder } from "#lib/queries/asset-holders/contract.ts";
import { amountText } from "./amounts.ts";

/** Holders that are shown individually. */
const PARTS = 4;

/** The largest holders' shares of the supply. `holders` must be the first page of the list. */
export function LargestHolders(props: { asset: AssetNames; supply: string; holders: readonly Holder[] }) {
  const { asset, supply, holders } = props;
  const largest = holders.slice(0, PARTS).filter(({ amount }) => isSeen(BigInt(amount), BigInt(supply)));
  if (largest.length < 2) return null;
  const rest = largest.reduce((left, { amount }) => left - BigInt(amount), BigInt(supply));
  const amounts = [...largest.map(({ amount }) => BigInt(amount)), ...(rest > 0n ? [rest] : [])];
  const parts = amounts.map((amount, at): Share => {
    const address = largest[at]?.address;
    const name = address === undefined ? "All others" : cutToText(cutAddress(address));
    return {
      key: address ?? "rest",
      name,
      label: address === undefined ? name : <AddressLink address={address} narrows />,
      colour: address === undefined ? REST_COLOUR : `var(--color-asset-${at + 1})`,
      amount,
      text: amountText(asset, amount),
    };
  });
  return (
    <div className="mt-4 mb-1">
      <ShareLine title="Shares of the supply" parts={parts} />
    </div>
  );
}
