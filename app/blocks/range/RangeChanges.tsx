"use client";

import { Fact } from "#components/Fact.tsx";
import { columnsOf } from "#components/table/columns.ts";
import { Details } from "#components/table/Details.tsx";
import { useRowFacts } from "#components/table/row-context.ts";
import { formatCount } from "#lib/client/format.ts";
import type { FirstPage, NumberedPage } from "#lib/client/queries.ts";
import type { RangeAssetChange } from "#lib/queries/range-asset-changes/contract.ts";
import { ChangeList, type MovedAssets, MovedFacts } from "../[blockHash]/ChangeList.tsx";
import { type ChangeFacts, shownColumns } from "../[blockHash]/columns.tsx";
import { rangeChangeList } from "./list.ts";

interface Props {
  /** Height of the block before the range, or `""` if it begins with the first one. */
  from: string;
  /** Height and hash of the last block. */
  to: string;
  hash: string;
  moved: MovedAssets;
  first: FirstPage<NumberedPage<RangeAssetChange>> | null;
}

function columns(tagged: boolean, priced: boolean) {
  const { open, asset, tags, menu, ...others } = shownColumns(tagged, priced);
  return columnsOf<RangeAssetChange>({
    open,
    asset: asset && { ...asset, tracks: { ...asset.tracks, wide: "minmax(240px, 1.9fr)" } },
    // More room for tags, because the column of blocks takes some of it.
    tags: tags && { ...tags, tracks: { ...tags.tracks, wide: "minmax(110px, 1.7fr)" } },
    ...others,
    blocks: {
      header: "Blocks",
      cell: ({ blocks }) => formatCount(blocks),
      tracks: { wide: "88px", medium: "72px", narrow: "64px" },
      align: "end",
      className: "max-sm:hidden",
    },
    menu,
  });
}

export function RangeChanges({ from, to, hash, moved, first }: Props) {
  return (
    <ChangeList
      list={rangeChangeList(from, hash)}
      of={{}}
      moved={moved}
      first={first}
      columnsOf={columns}
      details={(change) => <RangeChangeDetails from={from} hash={hash} change={change} />}
      volumeOf={rangeOf(from, hash)}
      whole="range"
      subject={{ from_height: from, to_height: to }}
      tabs={(actions) => (
        <div className="mt-5 flex flex-wrap items-center justify-between border-b max-sm:mt-2 sm:py-1.5">
          <h2 className="font-semibold text-base">Assets</h2>
          <div className="-me-3 flex items-center gap-1 print:hidden">{actions}</div>
        </div>
      )}
    />
  );
}

const rangeOf = (from: string, to: string): string[][] => [
  ...(from === "" ? [] : [["from", from]]),
  ["to", to],
];

function RangeChangeDetails({
  from,
  hash,
  change,
}: Pick<Props, "from" | "hash"> & { change: RangeAssetChange }) {
  const { flagsOf } = useRowFacts<ChangeFacts>();
  const { asset, blocks, transactions } = change;
  const range = rangeOf(from, hash);
  return (
    <Details
      asset={asset}
      flags={flagsOf(asset)}
      receipt={{
        lines: [],
        requests: [`/v0/asset-changes?${new URLSearchParams([...range, ["search", asset.id]])}`],
        link: `/blocks/range?${new URLSearchParams([...range, ["asset", asset.id], ["flagged", "show"]])}`,
      }}
      json={change}
    >
      <MovedFacts
        change={change}
        unpriced="no price at the time of any of these blocks"
        priced="each block at the price of its time"
      />
      <Fact name="Blocks that moved it" value={String(blocks)} />
      <Fact name="Transactions that moved it" value={String(transactions)} />
    </Details>
  );
}
