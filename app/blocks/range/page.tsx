import type { Metadata } from "next";
import { cache } from "react";
import { z } from "zod";
import type { FlagsOf } from "#components/list/flagged.tsx";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { MissingScope } from "#components/page-parts.tsx";
import { ReplacedNews } from "#components/ReplacedNews.tsx";
import { Time } from "#components/Time.tsx";
import { getService } from "#lib/api/service.ts";
import { createFlagger } from "#lib/client/chain-text.ts";
import { countOf, formatCount, formatUsd } from "#lib/client/format.ts";
import { blockRange } from "#lib/contract/block-reference.ts";
import { isApiError } from "#lib/contract/errors.ts";
import { namesakesAmong } from "#lib/dashboard/namesakes.ts";
import { blockAtTime, blockHeader, chainTip } from "#lib/queries/chain.ts";
import { contract } from "#lib/queries/range-asset-changes/contract.ts";
import { type RangeOverview, rangeOverview } from "#lib/queries/range-overview.ts";
import { terms } from "#terms";
import { replacedText } from "../../addresses/[address]/block-named.ts";
import { requireCaller, searchText } from "../../caller.ts";
import { firstPage } from "../../first-page.ts";
import { redirectToPlainReferences } from "../../redirect-to.ts";
import {
  AmountMoved,
  BLOCK_SENTENCE,
  Largest,
  PAGE_HEAD,
  PAGE_TITLE,
  Strong,
  Unpriced,
} from "../[blockHash]/Headline.tsx";
import { LARGEST, Shares, volumesOf } from "../[blockHash]/Shares.tsx";
import { rangeChangeList } from "./list.ts";
import { RangeChanges } from "./RangeChanges.tsx";
import { RangeForm } from "./RangeForm.tsx";
import { RefusedRange } from "./RefusedRange.tsx";

type Props = PageProps<"/blocks/range">;

/** Length of the range up to the tip that is shown by default. */
const DEFAULT_LENGTH = 100;

/** The range in the address bar, read once for title and page. Null if there is no such range. */
const readRange = cache(async (search: string): Promise<RangeOverview | null> => {
  const { store } = await getService();
  const query = new URLSearchParams(search);
  const named = { from: query.get("from") || undefined, to: query.get("to") || undefined };
  const range = z.object(blockRange).safeParse(named).data;
  if (!range) return null;
  if (!query.has("from") && !query.has("to")) {
    const height = (await store.query(chainTip))?.height ?? 0;
    if (height > DEFAULT_LENGTH) range.from = { height: height - DEFAULT_LENGTH };
  }
  // After a time before all blocks, the first one begins the range.
  const time = typeof range.from === "object" && "time" in range.from ? range.from.time : undefined;
  if (time !== undefined && (await store.query(blockAtTime, time)) === null) range.from = undefined;
  try {
    const found = await store.query(rangeOverview, { ...range, tags: [], largest: LARGEST });
    return found.after < found.to.height ? found : null;
  } catch (error) {
    if (isApiError(error) && (error.code === "NOT_FOUND" || error.code === "BAD_REQUEST")) return null;
    throw error;
  }
});

/** `Block 1`, or `Blocks 1 to 3`. */
function nameOf({ after, to: { height } }: RangeOverview): string {
  const first = formatCount(after + 1);
  return after + 1 === height ? `Block ${formatCount(height)}` : `Blocks ${first} to ${formatCount(height)}`;
}

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const search = searchText(await searchParams);
  await requireCaller(`/blocks/range${search}`);
  const range = await readRange(search);
  return { title: range ? `${nameOf(range)} · Asset changes` : "Range not found" };
}

export default async function Page({ searchParams }: Props) {
  const search = searchText(await searchParams);
  const caller = await requireCaller(`/blocks/range${search}`);
  if (!caller.scopes.includes(contract.scope)) return <MissingScope scope={contract.scope} />;
  redirectToPlainReferences(`/blocks/range${search}`, "from", "to");
  const range = await readRange(search);
  const { operations, identity, store } = await getService();
  const query = new URLSearchParams(search);
  if (!range) {
    const newest = await store.query(chainTip);
    const header = newest && (await store.query(blockHeader, newest.hash));
    const [from, to] = [query.get("from") ?? "", query.get("to") ?? ""];
    const replaced = { from: await replacedText(store, from), to: await replacedText(store, to) };
    const tip = newest && { ...newest, time: header?.timestamp ?? null };
    return <RefusedRange {...{ from, to, replaced, tip }} />;
  }
  const native = (await identity())?.native ?? null;
  const { tip, after, to, assetCount, pricedCount, volumeUsd, largest, tags, names } = range;
  const [from, last] = [after < 0 ? "" : String(after), String(to.height)];
  const list = rangeChangeList(from, to.hash);
  const first = await firstPage(operations.rangeAssetChanges, caller, list, {}, query);
  const namesakes = await namesakesAmong(store, names);
  const flagsOf = createFlagger({ native, ...namesakes });
  const priced = pricedCount > 0;
  return (
    <>
      <PartialIndex tip={tip} />
      <ReplacedNews block={{ ...to }} readAt={tip?.hash} of="with which this range ends" />
      <RangeForm tip={tip} range={{ from, to: last }} />
      <div className={`max-sm:mt-3 ${PAGE_HEAD}`}>
        {/* The target of the skip link if there is no list. */}
        <h1 id={terms.hasTokens ? undefined : "results"} className={PAGE_TITLE}>
          {nameOf(range)} moved {range.isCut && "at least "}
          {priced ? (
            <span title={formatUsd(BigInt(volumeUsd)).exact}>{formatUsd(BigInt(volumeUsd)).text}</span>
          ) : (
            <Unpriced assetCount={assetCount} only={largest[0]} />
          )}
        </h1>
        <Sentence range={range} flagsOf={flagsOf} />
        {priced && (
          <Shares block={range} largest={largest} flagsOf={flagsOf} path={`/blocks/range${search}`} />
        )}
      </div>
      {terms.hasTokens && (
        <RangeChanges
          key={`${from} ${to.hash}`}
          from={from}
          to={last}
          hash={to.hash}
          moved={{
            native,
            namesakes,
            tags,
            assetCount,
            largest: volumesOf(largest),
            volumeUsd,
          }}
          first={first}
        />
      )}
    </>
  );
}

function Sentence({ range, flagsOf }: { range: RangeOverview; flagsOf: FlagsOf }) {
  const { after, to, blockCount, pricedCount: priced, unpricedCount, volumeUsd, largest, isCut } = range;
  const most = largest.find(({ amountUsd }) => amountUsd !== "0");
  const length = to.height - after;
  return (
    <p className={BLOCK_SENTENCE}>
      {!terms.hasTokens && most && (
        <>
          <Strong>
            <AmountMoved change={most} />
          </Strong>{" "}
          in {countOf(most.transactions, "transaction")}{" "}
        </>
      )}
      in{" "}
      {priced > 0 && terms.hasTokens && (
        <>
          <Strong>{countOf(priced, "priced asset")}</Strong> and{" "}
        </>
      )}
      {blockCount < length
        ? `${formatCount(blockCount)} indexed of ${countOf(length, "block")}`
        : countOf(blockCount, "block")}
      <Largest changes={largest} volumeUsd={volumeUsd} flagsOf={flagsOf} />
      {priced > 0 &&
        unpricedCount > 0 &&
        `; ${formatCount(unpricedCount)} ${unpricedCount === 1 ? "has" : "have"} no price`}
      .{isCut && " The totals cover only the most valuable assets. The list has all of them."}
      <span className="max-sm:hidden">
        {" "}
        The last block was mined <Time time={to.timestamp} short />.
      </span>
    </p>
  );
}
