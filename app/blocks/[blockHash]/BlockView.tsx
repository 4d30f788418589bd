import { type Bar, BarList, chartLabels, otherBar } from "#components/Bars.tsx";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { Figure, Figures } from "#components/page-parts.tsx";
import type { ReceiptProps } from "#components/Receipt.tsx";
import { getService } from "#lib/api/service.ts";
import { type Namesakes, namesakesOf, sharedAmong } from "#lib/client/chain-text.ts";
import { countOf, cutId, cutToText, formatCount, formatUsd } from "#lib/client/format.ts";
import { blockLine, type ReceiptLine, tipLines } from "#lib/client/receipts.ts";
import { readView } from "#lib/client/url-state.ts";
import { toUnits, USD_DECIMALS } from "#lib/contract/amounts.ts";
import { type AssetChangeRow, assetChangesOfBlock } from "#lib/questions/block-asset-changes/read.ts";
import { type BlockOverview, namesInBlock } from "#lib/questions/block-overview.ts";
import type { AccessToken } from "#lib/store/store.ts";
import { firstPage } from "../../first-page.ts";
import { FollowTip } from "../tip/FollowTip.tsx";
import { AssetChangeTable } from "./AssetChangeTable.tsx";
import { BlockNews, BlockTitle } from "./BlockTitle.tsx";
import { ComparisonPanel } from "./ComparisonPanel.tsx";
import { assetChangeList } from "./list.ts";
import { readComparison } from "./read-comparison.ts";

const CHART_BARS = 8;

/** The longest name that the filter takes. */
const NAME_UNITS = 200;

interface Props {
  block: BlockOverview;
  caller: AccessToken;
  /** The page's query: `?a=1`, or `""`. */
  search: string;
  /** The page shows whichever block is the tip. */
  follow?: boolean;
}

export async function BlockView({ block, caller, search, follow = false }: Props) {
  const { store, identity, operations } = await getService();
  const native = (await identity())?.native ?? null;
  const query = new URLSearchParams(search);
  const view = readView(assetChangeList.fields, query);
  const compared = query.get("compare") ?? "";
  const path = assetChangeList.pathOf({ blockHash: block.hash }, view);
  const [names, largest, first] = await Promise.all([
    store.ask(namesInBlock, block.hash),
    store.ask(assetChangesOfBlock, {
      blockHash: block.hash,
      assetName: "",
      tags: [],
      volumeOrder: "desc",
      offset: 0,
      limit: CHART_BARS,
    }),
    firstPage(operations.blockAssetChanges, caller, { blockHash: block.hash }, path),
  ]);
  const namesakes = sharedAmong(namesakesOf(names));
  const { height, hash, timestamp } = block;
  const comparison = compared === "" ? null : await readComparison(block, names, compared);
  return (
    <>
      <BlockTitle block={block} />
      <PartialIndex tip={block.tip} />
      <Summary block={block} request={path} />
      {comparison !== null && (
        <ComparisonPanel
          block={{ height, hash, timestamp }}
          native={native}
          // Another block is another form.
          key={compared}
          named={compared}
          comparison={comparison}
        />
      )}
      <VolumeByAsset block={block} largest={largest?.rows ?? []} native={native} namesakes={namesakes} />
      <AssetChangeTable
        blockHash={block.hash}
        native={native}
        namesakes={namesakes}
        tags={block.tags}
        assetCount={block.assetCount}
        priced={block.assetCount > block.unpricedCount}
        volumeUsd={block.volumeUsd}
        first={first && { path, answer: first }}
      />
      {follow ? <FollowTip height={block.height} hash={block.hash} /> : <BlockNews block={block} />}
    </>
  );
}

/** `request`: of the page's list, whose entries the figures count and add up. */
function Summary({ block, request }: { block: BlockOverview; request: string }) {
  const priced = block.assetCount - block.unpricedCount;
  const receipt = (...line: ReceiptLine): ReceiptProps => ({
    lines: [line, blockLine(block), ...tipLines(block.tip)],
    requests: [request],
    link: `/blocks/${block.hash}`,
  });
  return (
    <Figures>
      <Figure
        name="Assets moved"
        receipt={receipt("Assets", String(block.assetCount), "entries of the list, without filters")}
        note={`in ${countOf(block.transactionCount, "transaction")}`}
      >
        {formatCount(block.assetCount)}
      </Figure>
      <Figure
        name="Volume, US dollars"
        note={priced === 0 ? "no asset here has a price" : "prices at the block's time"}
        receipt={receipt(
          "Sum of amountUsd",
          toUnits(block.volumeUsd, USD_DECIMALS),
          `over ${countOf(priced, "asset")}; each is amount × price at the block's time, cut at 8 decimals. ${block.volumeUsd} units of 10^-8`,
        )}
      >
        {priced === 0 ? "—" : formatUsd(BigInt(block.volumeUsd)).text}
      </Figure>
      {priced > 0 && (
        <Figure
          name="Without a price"
          note="not counted in the volume"
          receipt={receipt(
            "Assets",
            String(block.unpricedCount),
            "entries with amount > 0 and amountUsd = 0",
          )}
        >
          {formatCount(block.unpricedCount)}
        </Figure>
      )}
      <Figure
        name="As of block"
        receipt={receipt("Tip", String(block.tip.height), "the newest indexed block when the page was read")}
      >
        {formatCount(block.tip.height)}
      </Figure>
    </Figures>
  );
}

function VolumeByAsset(props: {
  block: BlockOverview;
  largest: AssetChangeRow[];
  native: { id: string; symbol: string } | null;
  namesakes: Namesakes;
}) {
  const { block, largest, native, namesakes } = props;
  const priced = largest.filter(({ amountUsd }) => amountUsd !== "0");
  if (priced.length < 2) return null;
  const rest = priced.reduce((left, { amountUsd }) => left - BigInt(amountUsd), BigInt(block.volumeUsd));
  const others = block.assetCount - block.unpricedCount - priced.length;
  const labelOf = chartLabels(native, namesakes);
  const bars: Bar[] = priced.map(({ asset, amountUsd }) => {
    const usd = formatUsd(BigInt(amountUsd));
    return {
      key: asset.id,
      label: labelOf(asset),
      part: BigInt(amountUsd),
      value: usd.text,
      exact: `${cutToText(cutId(asset.id))}: ${usd.exact}`,
      ...(asset.name && { filter: { name: asset.name.slice(0, NAME_UNITS), page: "" } }),
    };
  });
  return (
    <BarList
      title="Volume by asset"
      bars={[...bars, ...otherBar(rest, others, formatUsd(rest).text, formatUsd(rest).exact)]}
      note={block.unpricedCount > 0 ? `Unpriced: ${countOf(block.unpricedCount, "asset")}` : undefined}
    />
  );
}
