"use client";

import { useCallback } from "react";
import type { FirstAnswer } from "#lib/client/queries.ts";
import type { AssetChange, AssetChangeList } from "#lib/queries/block-asset-changes/contract.ts";
import { BlockTabs, type BlockTabsProps } from "./BlockTabs.tsx";
import { ChangeDetails } from "./ChangeDetails.tsx";
import { ChangeList, type MovedAssets } from "./ChangeList.tsx";
import { changeColumns } from "./columns.tsx";
import { assetChangeList } from "./list.ts";

interface Props {
  block: BlockTabsProps["block"] & { timestamp: number };
  moved: MovedAssets;
  first: FirstAnswer<AssetChangeList> | null;
  /** Another block may replace this one on the page. */
  steady?: boolean;
}

/** The list of a block's asset changes, below the tabs of its page. */
export function BlockChanges({ block, moved, first, steady = false }: Props) {
  const blockHash = block.hash;
  const details = useCallback(
    (change: AssetChange) => <ChangeDetails blockHash={blockHash} change={change} />,
    [blockHash],
  );
  return (
    <ChangeList
      list={assetChangeList}
      of={{ blockHash }}
      moved={moved}
      first={first}
      steady={steady}
      columnsOf={changeColumns}
      details={details}
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
