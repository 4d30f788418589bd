"use client";

import { useQuery } from "@tanstack/react-query";
import { Link } from "#components/Link.tsx";
import { Details } from "#components/table/Details.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { FactRow } from "#components/ui/FactList.tsx";
import { movingPath } from "#lib/client/paths.ts";
import type { FirstPage } from "#lib/client/queries.ts";
import { blockLine, priceLines, type ReceiptLine, sourceQuery } from "#lib/client/receipts.ts";
import type { AssetChange, AssetChangeList } from "#lib/queries/block-asset-changes/contract.ts";
import { BlockTabs, type BlockTabsProps } from "./BlockTabs.tsx";
import { ChangeList, type MovedAssets, MovedFacts } from "./ChangeList.tsx";
import { type ChangeFacts, changeColumns } from "./columns.tsx";
import { assetChangeList } from "./list.ts";

interface Props {
  block: BlockTabsProps["block"] & { timestamp: number };
  moved: MovedAssets;
  first: FirstPage<AssetChangeList> | null;
  /** Another block may replace this one on the page. */
  steady?: boolean;
}

export function BlockChanges({ block, moved, first, steady = false }: Props) {
  const blockHash = block.hash;
  return (
    <ChangeList
      list={assetChangeList}
      of={{ blockHash }}
      moved={moved}
      first={first}
      steady={steady}
      columnsOf={changeColumns}
      details={(change) => <ChangeDetails blockHash={blockHash} change={change} />}
      volumeOf={[["block", blockHash]]}
      whole="block"
      subject={{
        block_height: block.height,
        block_time: new Date(block.timestamp).toISOString(),
        block_hash: blockHash,
      }}
      tabs={(actions) => (
        <BlockTabs block={block} current="assets">
          {actions}
        </BlockTabs>
      )}
    />
  );
}

function ChangeDetails({ blockHash, change }: { blockHash: string; change: AssetChange }) {
  const { flagsOf } = useRowFacts<ChangeFacts>();
  const { asset, amount, amountUsd } = change;
  const { data, error } = useQuery(sourceQuery({ block: blockHash, asset: asset.id }));
  const lines: ReceiptLine[] = [];
  if (data?.price) lines.push(...priceLines("Volume", amount, asset.decimals, data.price, amountUsd));
  if (data) lines.push(blockLine(data.block));
  const view = new URLSearchParams({ asset: asset.id, flagged: "show" });
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
      <FactRow name="Transactions">
        <Link href={movingPath(blockHash, asset.id)}>Transactions that moved it</Link>
      </FactRow>
    </Details>
  );
}
