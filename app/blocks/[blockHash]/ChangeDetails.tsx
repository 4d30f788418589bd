import { useQuery } from "@tanstack/react-query";
import { Receipt } from "#components/Receipt.tsx";
import { Fact, JsonOf, NameFacts, ReceiptSection } from "#components/table/Details.tsx";
import { FactList } from "#components/ui/FactList.tsx";
import { displayDecimals, type Flag } from "#lib/client/chain-text.ts";
import { formatAmount, formatUtc } from "#lib/client/format.ts";
import {
  amountFormula,
  blockLine,
  type ReceiptLine,
  sourceQuery,
  valueFormula,
} from "#lib/client/receipts.ts";
import type { AssetChange } from "#lib/contract/endpoints.ts";

interface Props {
  blockHash: string;
  change: AssetChange;
  flags: readonly Flag[];
}

/** An asset's change in full: nothing cut, nothing rounded. */
export default function ChangeDetails({ blockHash, change, flags }: Props) {
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
      <ChangeReceipt blockHash={blockHash} change={change} />
      <JsonOf value={change} />
    </>
  );
}

function ChangeReceipt({ blockHash, change }: Pick<Props, "blockHash" | "change">) {
  const { asset, amount, amountUsd } = change;
  const { data, error } = useQuery(sourceQuery({ block: blockHash, asset: asset.id }));
  const lines: ReceiptLine[] = [["Amount", amountFormula(amount, asset.decimals), "gross amount moved"]];
  if (data) {
    const { block, price } = data;
    if (price) {
      lines.push(
        ["Price", `$${price.usd}`, `for one whole token, in force from ${formatUtc(price.time)}`],
        ["Volume", valueFormula(amount, asset.decimals, price.usd, amountUsd)],
      );
    }
    lines.push(blockLine(block));
  }
  const view = new URLSearchParams({ name: asset.id, flagged: "show" });
  return (
    <ReceiptSection failed={error !== null}>
      <Receipt
        lines={lines}
        requests={[`/v0/blocks/${blockHash}/asset-changes?${new URLSearchParams({ search: asset.id })}`]}
        link={`/blocks/${blockHash}?${view}`}
      />
    </ReceiptSection>
  );
}
