import { Fact, JsonOf, NameFacts } from "#components/table/Details.tsx";
import { FactList } from "#components/ui/FactList.tsx";
import { displayDecimals, type Flag } from "#lib/client/chain-text.ts";
import { formatAmount } from "#lib/client/format.ts";
import type { AssetChange } from "#lib/contract/endpoints.ts";

/** An asset's change in full: nothing cut, nothing rounded. */
export default function ChangeDetails({ change, flags }: { change: AssetChange; flags: readonly Flag[] }) {
  const { asset } = change;
  const decimals = displayDecimals(asset);
  return (
    <>
      <FactList>
        <Fact name="Asset id" value={asset.id} />
        <Fact
          name="Amount moved, smallest unit"
          value={change.amount.toString()}
          note={
            decimals === null
              ? "decimals unknown"
              : `${formatAmount(change.amount, decimals).exact} with ${decimals} decimals`
          }
        />
        <Fact
          name="Volume, US dollars"
          value={change.amountUsd}
          note={
            change.amountUsd === "0" ? "no price at the block's time" : "at the price of the block's time"
          }
        />
        <NameFacts asset={asset} flags={flags} />
      </FactList>
      <JsonOf value={change} />
    </>
  );
}
