import type { Metadata } from "next";
import { notFound, redirect } from "next/navigation";
import { type Bar, BarList, chartLabels, otherBar } from "#components/Bars.tsx";
import { CopyButton } from "#components/CopyButton.tsx";
import { Cut } from "#components/Cut.tsx";
import { LeftIcon, RightIcon } from "#components/icons.tsx";
import { Link } from "#components/Link.tsx";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { Figure, Figures, MissingScope } from "#components/page-parts.tsx";
import { RecordLookup } from "#components/RecordLookup.tsx";
import { Time } from "#components/Time.tsx";
import { buttonClass } from "#components/ui/Button.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { getService } from "#lib/api/service.ts";
import { type Namesakes, namesakesOf, sharedAmong } from "#lib/client/chain-text.ts";
import { detect } from "#lib/client/detect.ts";
import { countOf, cutHash, cutId, cutToText, formatCount, formatUsd } from "#lib/client/format.ts";
import { readUrlState } from "#lib/client/url-state.ts";
import { blockAssetChanges } from "#lib/contract/endpoints.ts";
import type { AbandonedBlock, AssetChangeRow, BlockOverview } from "#lib/store/store.ts";
import { decodePart, requireCaller, type Search, searchText } from "../../caller.ts";
import { firstPage } from "../../first-page.ts";
import { AssetChangeTable } from "./AssetChangeTable.tsx";
import { assetChangeList, assetChangesPath } from "./list.ts";

interface Props {
  params: Promise<{ blockHash: string }>;
  searchParams: Promise<Search>;
}

/** Assets of the chart with a bar of their own. */
const CHART_BARS = 8;

/** As much of a name as its filter takes. */
const NAME_UNITS = 200;

/** Blocks on top, from which on a reorganisation is not expected. */
const SETTLED_CONFIRMATIONS = 24;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { blockHash } = await params;
  const detected = detect(decodePart(blockHash));
  if (detected.kind !== "block-hash") return { title: "Block" };
  return {
    title: `Block ${cutToText(cutHash(detected.hash))} · Asset changes`,
    alternates: { canonical: `/blocks/${detected.hash}` },
  };
}

export default async function Page({ params, searchParams }: Props) {
  const { blockHash } = await params;
  const query = await searchParams;
  const search = searchText(query);
  const caller = await requireCaller(`/blocks/${blockHash}${search}`);
  if (!caller.scopes.includes(blockAssetChanges.scope))
    return <MissingScope scope={blockAssetChanges.scope} />;

  const { store, identity, operations } = await getService();
  const detected = detect(decodePart(blockHash));
  if (detected.kind === "block-number") {
    const hash = await store.blockHashAt(detected.height);
    if (hash === null) notFound();
    redirect(`/blocks/${hash}${search}`);
  }
  if (detected.kind !== "block-hash") notFound();
  if (detected.hash !== blockHash) redirect(`/blocks/${detected.hash}${search}`);

  const overview = await store.blockOverview(detected.hash);
  if (!overview) {
    const abandoned = await store.abandonedBlock(detected.hash);
    if (!abandoned) notFound();
    return <ReplacedBlock block={abandoned} />;
  }
  const native = (await identity())?.native ?? null;
  const view = readUrlState(assetChangeList.fields, new URLSearchParams(search));
  const path = assetChangesPath(overview.hash, view);
  const [names, largest, first] = await Promise.all([
    store.namesInBlock(overview.hash),
    store.assetChangesOfBlock({
      blockHash: overview.hash,
      assetName: "",
      tags: [],
      volumeOrder: "desc",
      offset: 0,
      limit: CHART_BARS,
    }),
    firstPage(operations.blockAssetChanges, caller, { blockHash: overview.hash }, path),
  ]);
  const namesakes = sharedAmong(namesakesOf(names));
  return (
    <>
      <RecordLookup path={`/blocks/${overview.hash}`} label={`Block ${formatCount(overview.height)}`} />
      <Title block={overview} />
      <PartialIndex tip={overview.tip} />
      <Summary block={overview} />
      <VolumeByAsset block={overview} largest={largest?.rows ?? []} native={native} namesakes={namesakes} />
      <AssetChangeTable
        blockHash={overview.hash}
        native={native}
        namesakes={namesakes}
        tags={overview.tags}
        assetCount={overview.assetCount}
        volumeUsd={overview.volumeUsd}
        first={first && { path, answer: first }}
      />
    </>
  );
}

function Title({ block }: { block: BlockOverview }) {
  const confirmations = block.tip.height - block.height;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="font-semibold text-lg">Block {formatCount(block.height)}</h1>
        <nav aria-label="Neighbouring blocks" className="flex gap-1">
          <Neighbour hash={block.parentIndexed ? block.parentHash : null} label="Previous block" rel="prev" />
          <Neighbour hash={block.nextHash} label="Next block" rel="next" />
        </nav>
        <span className="text-text-2">
          <Time time={block.timestamp} />
        </span>
        <span className="text-text-2">
          {confirmations < SETTLED_CONFIRMATIONS ? (
            <span className="text-warn">
              {formatCount(confirmations)} of {SETTLED_CONFIRMATIONS} confirmations: may still be replaced
            </span>
          ) : (
            countOf(confirmations, "confirmation")
          )}
        </span>
      </div>
      <p className="mb-3 flex items-center gap-1">
        <span className="mono text-text-2 break-all">{block.hash}</span>
        <CopyButton className="-my-1" text={block.hash} label="block hash" />
      </p>
    </>
  );
}

function Neighbour({ hash, label, rel }: { hash: string | null; label: string; rel: "prev" | "next" }) {
  const icon = rel === "prev" ? <LeftIcon /> : <RightIcon />;
  if (hash === null) {
    return (
      // biome-ignore lint/a11y/useSemanticElements: a link that leads nowhere is no <a>
      <span
        role="link"
        tabIndex={-1}
        aria-disabled="true"
        aria-label={`${label}: not indexed`}
        className={buttonClass({ size: "square" })}
      >
        {icon}
      </span>
    );
  }
  return (
    <Link
      href={`/blocks/${hash}`}
      rel={rel}
      data-shortcut={rel === "prev" ? "ArrowLeft" : "ArrowRight"}
      aria-label={label}
      title={label}
      className={buttonClass({ size: "square" })}
    >
      {icon}
    </Link>
  );
}

function Summary({ block }: { block: BlockOverview }) {
  const priced = block.assetCount - block.unpricedCount;
  return (
    <Figures>
      <Figure name="Assets moved" note={`in ${countOf(block.transactionCount, "transaction")}`}>
        {formatCount(block.assetCount)}
      </Figure>
      <Figure
        name="Volume, US dollars"
        note={priced === 0 ? "no asset here has a price" : "prices at the block's time"}
      >
        {priced === 0 ? "—" : formatUsd(BigInt(block.volumeUsd)).text}
      </Figure>
      <Figure name="Without a price" note="not counted in the volume">
        {formatCount(block.unpricedCount)}
      </Figure>
      <Figure name="As of block">{formatCount(block.tip.height)}</Figure>
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
      ...(asset.name && {
        filter: { name: asset.name.slice(0, NAME_UNITS), page: "" },
      }),
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

function ReplacedBlock({ block }: { block: AbandonedBlock }) {
  return (
    <MessagePage title={`Block ${formatCount(block.height)} was replaced`}>
      <Notice
        tone="warn"
        title="This block was replaced by a reorganisation"
        actions={
          block.replacedBy && (
            <Link href={`/blocks/${block.replacedBy}`} className={buttonClass()}>
              Open the block at this height
            </Link>
          )
        }
      >
        <p>
          <Cut parts={cutHash(block.hash)} /> is no longer on the canonical chain.{" "}
          {block.replacedBy ? (
            <>
              The block at this height is now <Cut parts={cutHash(block.replacedBy)} />.
            </>
          ) : (
            "No other block at this height is indexed yet."
          )}
        </p>
        <p>Its asset changes no longer count, so they are not listed.</p>
      </Notice>
    </MessagePage>
  );
}
