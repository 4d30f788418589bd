import { PartialIndex } from "#components/PartialIndex.tsx";
import { getService } from "#lib/api/service.ts";
import { createFlagger } from "#lib/client/chain-text.ts";
import { namesakesAmong } from "#lib/dashboard/namesakes.ts";
import { assetChangesOfBlock } from "#lib/queries/block-asset-changes/read.ts";
import { type BlockOverview, namesInBlock } from "#lib/queries/block-overview.ts";
import { contract as transaction } from "#lib/queries/transaction/contract.ts";
import type { AccessToken } from "#lib/store/rows.ts";
import { firstPage } from "../../first-page.ts";
import { FollowTip } from "../tip/FollowTip.tsx";
import { KeepRoom } from "../tip/KeepRoom.tsx";
import { BlockChanges } from "./BlockChanges.tsx";
import { BlockLine, BlockNews } from "./BlockLine.tsx";
import { BlockTabs } from "./BlockTabs.tsx";
import { ComparisonPanel } from "./ComparisonPanel.tsx";
import { ALIKE, firstMints, Headline, PAGE_HEAD } from "./Headline.tsx";
import { assetChangeList } from "./list.ts";
import { readComparison } from "./read-comparison.ts";
import { LARGEST, Shares, volumesOf } from "./Shares.tsx";
import { Transactions } from "./Transactions.tsx";
import { tabIn } from "./tab.ts";

interface Props {
  block: BlockOverview;
  caller: AccessToken;
  path: string;
  /** The page always shows the newest block. */
  follow?: boolean;
}

export async function BlockView({ block, caller, path, follow = false }: Props) {
  const { store, identity, operations } = await getService();
  const native = (await identity())?.native ?? null;
  const query = new URLSearchParams(path.split("?")[1]);
  const compared = query.get("compare") ?? "";
  const [names, page] = await Promise.all([
    store.query(namesInBlock, block.hash),
    store.query(assetChangesOfBlock, {
      blockHash: block.hash,
      assetName: "",
      tags: [],
      volumeOrder: "desc",
      offset: 0,
      limit: LARGEST,
    }),
  ]);
  const largest = page?.rows ?? [];
  const volumes = volumesOf(largest);
  const namesakes = await namesakesAmong(store, names);
  const flagsOf = createFlagger({ native, ...namesakes });
  const alike = names.filter((asset) => flagsOf(asset).some(({ kind }) => ALIKE.has(kind))).length;
  const { height, hash, timestamp, assetCount, transactionCount, tags, volumeUsd } = block;
  const open = tabIn(query);
  const tab =
    open === "compare" ? (
      <>
        <BlockTabs block={block} current="compare" />
        <ComparisonPanel
          block={{ height, hash, timestamp }}
          native={native}
          largest={volumes}
          volumeUsd={volumeUsd}
          key={compared}
          named={compared}
          comparison={await readComparison(block, names, compared)}
        />
      </>
    ) : open === "transactions" ? (
      <>
        <BlockTabs block={block} current="transactions" />
        <Transactions
          {...{ block, largest: volumes, native, namesakes, query }}
          mayRead={caller.scopes.includes(transaction.scope)}
        />
      </>
    ) : (
      <BlockChanges
        key={hash}
        block={{ height, hash, timestamp, assetCount, transactionCount }}
        moved={{ native, namesakes, tags, assetCount, largest: volumes, volumeUsd }}
        first={
          await firstPage(operations.blockAssetChanges, caller, assetChangeList, { blockHash: hash }, query)
        }
        steady={follow}
      />
    );
  return (
    <>
      <PartialIndex tip={block.tip} />
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <BlockLine key={`line ${block.hash}`} block={block} />
        {follow && <FollowTip height={block.height} hash={block.hash} />}
      </div>
      <div className={PAGE_HEAD}>
        <Headline
          key={`headline ${block.hash}`}
          block={block}
          largest={largest}
          minted={block.tip.coverage === undefined ? firstMints(names, native) : null}
          alike={alike}
          flagsOf={flagsOf}
          steady={follow}
        />
        <Shares block={block} largest={largest} flagsOf={flagsOf} path={path} steady={follow} />
      </div>
      {follow ? <KeepRoom of={block.hash}>{tab}</KeepRoom> : tab}
      {!follow && <BlockNews block={block} />}
    </>
  );
}
