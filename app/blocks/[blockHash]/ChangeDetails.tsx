import { useQuery } from "@tanstack/react-query";
import { AmountFact, Fact } from "#components/Fact.tsx";
import { Details } from "#components/table/Details.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { displayDecimals } from "#lib/client/chain-text.ts";
import { blockLine, priceLines, type ReceiptLine, sourceQuery } from "#lib/client/receipts.ts";
import type { AssetChange } from "#lib/queries/block-asset-changes/contract.ts";
import { type ChangeFacts, Tags } from "./columns.tsx";
import { isUnpriced } from "./list.ts";

/** An asset change in full, with its receipt. */
export function ChangeDetails({ blockHash, change }: { blockHash: string; change: AssetChange }) {
  const { flagsOf } = useRowFacts<ChangeFacts>();
  const { asset, amount, amountUsd } = change;
  const { data, error } = useQuery(sourceQuery({ block: blockHash, asset: asset.id }));
  const lines: ReceiptLine[] = [];
  if (data?.price) lines.push(...priceLines("Volume", amount, asset.decimals, data.price, amountUsd));
  if (data) lines.push(blockLine(data.block));
  const view = new URLSearchParams({ name: asset.id, flagged: "show" });
  return (
    <Details
      asset={asset}
      flags={flagsOf(asset)}
      receipt={{
        lines,
        requests: [`/v0/blocks/${blockHash}/asset-changes?${new URLSearchParams({ search: asset.id })}`],
        link: `/blocks/${blockHash}?${view}`,
      }}
      failed={error !== null}
      json={change}
    >
      <MovedFacts
        change={change}
        unpriced="no price at the block's time"
        priced="at the price of the block's time"
      />
    </Details>
  );
}

interface MovedFactsProps {
  change: AssetChange;
  /** Notes on the volume of an asset without a price, and with one. */
  unpriced: string;
  priced: string;
}

/** The exact figures of an asset change. */
export function MovedFacts({ change, unpriced, priced }: MovedFactsProps) {
  const { asset, amount, amountUsd, tags } = change;
  return (
    <>
      <Fact name="Asset id" value={asset.id} />
      <AmountFact name="Amount moved" amount={amount} decimals={displayDecimals(asset)} />
      {isUnpriced(change) ? (
        <Fact name="Volume, US dollars" value="" note={unpriced} />
      ) : (
        <Fact name="Volume, US dollars" value={amountUsd} note={priced} />
      )}
      {tags.length > 0 && (
        <>
          <dt>Tags</dt>
          <dd>
            <Tags tags={tags} />
          </dd>
        </>
      )}
    </>
  );
}
