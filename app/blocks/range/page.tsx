import type { Metadata } from "next";
import { notFound, redirect } from "next/navigation";
import { MissingScope } from "#components/page-parts.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { Segments } from "#components/ui/Segments.tsx";
import { getService } from "#lib/api/service.ts";
import { namesakesOf, sharedAmong } from "#lib/client/chain-text.ts";
import { countOf, formatCount, formatUsd } from "#lib/client/format.ts";
import { changeParameters, readView } from "#lib/client/url-state.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { chainTip } from "#lib/questions/chain.ts";
import { contract } from "#lib/questions/range-asset-changes/contract.ts";
import { type RangeOverview, rangeOverview } from "#lib/questions/range-overview.ts";
import { requireCaller, type Search, searchText } from "../../caller.ts";
import { firstPage } from "../../first-page.ts";
import { SHOWN_SHARES, Shares } from "../[blockHash]/Shares.tsx";
import { rangeChangeList } from "./list.ts";
import { RangeChanges } from "./RangeChanges.tsx";

const PRESETS = [10, 100, 1000];
const HEIGHT = /^(0|[1-9]\d{0,14})$/;

export const metadata: Metadata = { title: "Range of blocks · Asset changes" };

/** What the blocks after the height `from` up to `to` moved. A link without both is for the last blocks. */
export default async function Page({ searchParams }: { searchParams: Promise<Search> }) {
  const search = searchText(await searchParams);
  const path = `/blocks/range${search}`;
  const caller = await requireCaller(path);
  if (!caller.scopes.includes(contract.scope)) return <MissingScope scope={contract.scope} />;
  const { store, identity, operations } = await getService();
  const query = new URLSearchParams(search);
  const [from, to] = [query.get("from") ?? "", query.get("to") ?? ""];
  const tip = await store.ask(chainTip);
  if (!tip) notFound();
  if (!HEIGHT.test(from) || !HEIGHT.test(to) || Number(from) >= Number(to)) {
    const last = HEIGHT.test(to) && Number(to) > 0 ? Math.min(Number(to), tip.height) : tip.height;
    redirect(changeParameters(path, heights(Math.max(last - PRESETS[0]!, 0), last)));
  }
  const list = rangeChangeList.pathOf({}, readView(rangeChangeList.fields, query));
  const [range, native, first] = await Promise.all([
    overviewOf(store.ask(rangeOverview, { from: Number(from), to: Number(to), largest: SHOWN_SHARES })),
    identity().then((known) => known?.native ?? null),
    firstPage(operations.rangeAssetChanges, caller, {}, list),
  ]);
  const { assetCount, unpricedCount, volumeUsd, tags, largest, names } = range;
  const blocks = Number(to) - Number(from);
  const isPriced = assetCount > unpricedCount;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2 text-text-2">
        <p>
          Blocks {formatCount(Number(from) + 1)} to {formatCount(Number(to))}
        </p>
        <Segments
          label="Last blocks"
          choices={PRESETS.map((count) => ({
            href: changeParameters(path, {
              ...heights(Math.max(tip.height - count, 0), tip.height),
              page: "",
            }),
            title: `Last ${formatCount(count)}`,
            current: Number(to) === tip.height && blocks === count,
          }))}
        />
      </div>
      <h1 className="mt-1 font-bold text-2xl wrap-anywhere">
        {countOf(blocks, "block")} moved{" "}
        {isPriced ? formatUsd(BigInt(volumeUsd)).text : countOf(assetCount, "asset")}
      </h1>
      <p className="mt-2 max-w-[900px] text-lg text-text-2">
        {isPriced && `in ${countOf(assetCount - unpricedCount, "priced asset")}`}
        {isPriced && unpricedCount > 0 && `; ${countOf(unpricedCount, "asset")} without a price`}
        {isPriced ? ". Each block counts at the prices of its time." : "None of them has a price."}
      </p>
      {range.isCut && (
        <p className="mt-2 text-text-3 text-xs">
          Tags and sums count the {formatCount(range.names.length)} assets with most volume.
        </p>
      )}
      {range.coverage && (
        <Notice tone="warn" title="Blocks are missing">
          Not all blocks of the chain are indexed, so more may have moved.
        </Notice>
      )}
      {isPriced && (
        <Shares
          block={{ volumeUsd, assetCount, unpricedCount, tags }}
          largest={largest}
          by={query.get("shares") === "tags" ? "tags" : "assets"}
          path={path}
        />
      )}
      <RangeChanges
        key={`${from} ${to}`}
        moved={{
          native,
          namesakes: sharedAmong(namesakesOf(names)),
          tags,
          assetCount,
          priced: isPriced,
          volumeUsd,
          largestUsd: largest[0]?.amountUsd ?? "0",
        }}
        first={first && { path: list, answer: first }}
      />
    </>
  );
}

const heights = (from: number, to: number) => ({ from: String(from), to: String(to) });

/** A range that ends above the tip is not there. */
async function overviewOf(asked: Promise<RangeOverview>): Promise<RangeOverview> {
  return asked.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === "NOT_FOUND") notFound();
    throw error;
  });
}
