"use client";

import { useSearchParams } from "next/navigation";
import type { ReactNode } from "react";
import { Fact } from "#components/Fact.tsx";
import { Details } from "#components/table/Details.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { countOf } from "#lib/client/format.ts";
import type { FirstAnswer, NumberedPage } from "#lib/client/queries.ts";
import { amountFormula } from "#lib/client/receipts.ts";
import type { RangeAssetChange } from "#lib/questions/range-asset-changes/contract.ts";
import { ChangeList, type MovedAssets } from "../[blockHash]/ChangeList.tsx";
import { type ChangeFacts, changeColumns, isUnpriced } from "../[blockHash]/columns.tsx";
import { rangeChangeList } from "./list.ts";

interface Props {
  moved: MovedAssets;
  first: FirstAnswer<NumberedPage<RangeAssetChange>> | null;
}

/** What a range of blocks moved, by asset. */
export function RangeChanges({ moved, first }: Props) {
  return (
    <ChangeList
      list={rangeChangeList}
      of={{}}
      moved={moved}
      first={first}
      columnsOf={changeColumns}
      details={details}
      volumePathOf={null}
      whole="range"
      tabs={actions}
    />
  );
}

const actions = (buttons: ReactNode) => <div className="mt-11 flex justify-end gap-1">{buttons}</div>;
const details = (change: RangeAssetChange) => <RangeDetails change={change} />;

function RangeDetails({ change }: { change: RangeAssetChange }) {
  const { flagsOf } = useRowFacts<ChangeFacts>();
  const { asset, amount, amountUsd, blocks, transactions } = change;
  const search = useSearchParams();
  const [from, to] = [search.get("from") ?? "", search.get("to") ?? ""];
  return (
    <Details
      asset={asset}
      flags={flagsOf(asset)}
      receipt={{
        lines: [["Amount", amountFormula(amount, asset.decimals), "gross amount moved in the range"]],
        requests: [`/v0/asset-changes?${new URLSearchParams({ from, to, search: asset.id })}`],
        link: `/blocks/range?${new URLSearchParams({ from, to, name: asset.id, flagged: "show" })}`,
      }}
      failed={false}
      json={change}
    >
      <Fact name="Asset id" value={asset.id} />
      <Fact name="Amount moved, smallest unit" value={amount.toString()} />
      {isUnpriced(change) ? (
        <Fact name="Volume, US dollars" value="" note="no price at the blocks' times" />
      ) : (
        <Fact name="Volume, US dollars" value={amountUsd} note="each block at the price of its time" />
      )}
      <Fact name="Moved in" value={`${countOf(blocks, "block")}, ${countOf(transactions, "transaction")}`} />
    </Details>
  );
}
