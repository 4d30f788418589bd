import { LargeFigure } from "#components/Amount.tsx";
import { AssetIcon, ListedMark } from "#components/AssetLabel.tsx";
import { assetColour } from "#components/asset-colour.ts";
import { CopyButton } from "#components/CopyButton.tsx";
import { Cut } from "#components/Cut.tsx";
import { changeOf } from "#components/change.ts";
import { Link } from "#components/Link.tsx";
import { Time } from "#components/Time.tsx";
import { Chip } from "#components/ui/Chip.tsx";
import { FactList, FactRow } from "#components/ui/FactList.tsx";
import { Fold } from "#components/ui/Fold.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import {
  cleanText,
  displayDecimals,
  displayName,
  displaySymbol,
  isVouchedFor,
} from "#lib/client/chain-text.ts";
import {
  countOf,
  cutId,
  formatAmount,
  formatCount,
  formatPrice,
  formatUsd,
  formatUtc,
} from "#lib/client/format.ts";
import { flaggerAmong } from "#lib/dashboard/flags.ts";
import type { AssetDetails } from "#lib/queries/assets/read.ts";
import type { PriceAt } from "#lib/queries/prices.ts";
import { type BlockHeader, type IndexTip, NATIVE_STANDARD } from "#lib/store/rows.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import { PriceChart } from "./PriceChart.tsx";

interface Props {
  asset: AssetDetails;
  tip: IndexTip | null;
  alike: readonly AssetDetails[];
  prices: PriceAt[];
  /** The tip's time. */
  time: number;
  firstBlock: BlockHeader | null;
}

/** The names, price and facts of an asset. On a partial index, its first mint is unknown. */
export function Headline({ asset, tip, alike, prices, time, firstBlock }: Props) {
  const { token, resembles, holderCount, outputCount, tags } = asset;
  const flags = flaggerAmong(alike, terms.native)(asset);
  const imitated = alike.find((other) => other.token.id === resembles);
  const unique = terms.outputKind(token.standard)?.unique;
  const isPartial = tip?.coverage !== undefined;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-10 sm:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <div className="max-sm:col-span-full max-sm:row-start-1">
        <p className="flex items-center gap-1.5 text-text-2">
          <Cut parts={cutId(token.id)} />
          <CopyButton text={token.id} label="token id" />
          {token.standard === NATIVE_STANDARD ? "native asset" : (unique ?? token.standard)}
        </p>
        <h1
          className={`mt-1 flex min-w-0 flex-wrap items-center gap-x-2.5 ${unique === undefined ? "text-lg" : "text-2xl"}`}
        >
          <AssetIcon asset={token} flags={flags} />
          <bdi className="min-w-0 font-bold wrap-anywhere">{displaySymbol(token)}</bdi>
          {token.name !== "" && displayName(token) !== displaySymbol(token) && (
            <bdi className="min-w-0 text-text-2 wrap-anywhere">{displayName(token)}</bdi>
          )}
          {isVouchedFor(token) && flags.length === 0 && <ListedMark />}
        </h1>
        {unique === undefined && <Worth asset={asset} prices={prices} time={time} isPartial={isPartial} />}
        <p className="mt-1 flex min-h-11 flex-wrap content-start gap-x-4 pe-20 text-text-2 sm:min-h-0 sm:pe-0">
          <span>{countOf(holderCount, "holder")}</span>
          <span>{countOf(outputCount, terms.output)}</span>
          {tip && <span>as of block {formatCount(tip.height)}</span>}
        </p>
        {imitated && <Imitation of={imitated} />}
      </div>
      <Fold label="Details" className="grid content-start gap-x-10 gap-y-4 lg:grid-cols-2">
        <FactList short>
          <FactRow name={isPartial ? "First indexed block" : "First block"}>
            {firstBlock ? (
              <>
                <Link href={`/blocks/${firstBlock.hash}`} className="underline">
                  {formatCount(firstBlock.height)}
                </Link>
                <span className="text-text-2">
                  , <Time time={firstBlock.timestamp} short />
                </span>
              </>
            ) : (
              "—"
            )}
          </FactRow>
          <FactRow name="First mint">
            {isPartial ? (
              "unknown: some blocks are not indexed"
            ) : token.firstMintAt === "" ? (
              "—"
            ) : (
              <span className="text-text-2">
                <Time time={Date.parse(token.firstMintAt)} />
              </span>
            )}
          </FactRow>
          {unique === undefined && (
            <FactRow name="Decimals">
              {displayDecimals(token) ?? "unknown: all amounts here are raw integers"}
            </FactRow>
          )}
          {tags.length > 0 && (
            <FactRow name="Tags" className="flex flex-wrap gap-1">
              {tags.map((tag) => (
                <Chip key={tag}>
                  <bdi>{tag}</bdi>
                </Chip>
              ))}
            </FactRow>
          )}
          {token.description !== "" && (
            <FactRow name="Description" className="max-w-[65ch] wrap-anywhere">
              <bdi>{cleanText(token.description, DESCRIPTION).text}</bdi>
            </FactRow>
          )}
        </FactList>
        <PriceChart
          prices={prices}
          firstBlock={firstBlock}
          isPartial={isPartial}
          colour={assetColour(token.id)}
        />
      </Fold>
    </div>
  );
}

/** Characters of a description that the page shows, as readers count them. */
const DESCRIPTION = 400;
const DAY_MS = 86_400_000;
/** Longer figures are in smaller type. */
const LONG_FIGURE = 16;

/** The price as the page's largest figure; without a price, the supply. */
function Worth({
  asset,
  prices,
  time,
  isPartial,
}: Pick<Props, "asset" | "prices" | "time"> & { isPartial: boolean }) {
  const { totalSupply } = asset.token;
  const decimals = displayDecimals(asset.token);
  const price = asset.price === null ? null : BigInt(asset.price);
  const supply = formatAmount(totalSupply, decimals);
  const within = isPartial ? " in the indexed blocks" : "";
  const figure = price === null ? supply : formatPrice(price);
  const worth =
    price === null || decimals === null
      ? null
      : formatUsd(valueInUsd(BigInt(totalSupply), decimals, price), totalSupply);
  const latest = prices.at(-1);
  const before = prices.findLast((price) => price.time <= time - DAY_MS);
  const change = latest && before && changeOf(BigInt(latest.usd), BigInt(before.usd));
  return (
    <>
      <p
        className={`mt-1 font-bold wrap-anywhere ${figure.text.length > LONG_FIGURE ? "text-2xl max-sm:text-xl" : "text-3xl"}`}
        title={figure.exact}
      >
        <LargeFigure text={figure.text} />
      </p>
      <p className="mt-1 flex flex-wrap gap-x-4 text-text-2">
        {price === null ? (
          <span>supply{within}; no known price</span>
        ) : (
          <>
            {latest && latest === before ? (
              <span>price of {formatUtc(latest.time)}</span>
            ) : (
              change && (
                <span>
                  <span className={change.colour}>{change.text}</span> in 24 h
                </span>
              )
            )}
            <span title={supply.exact}>
              Supply{within} {supply.text}
            </span>
            {worth && <span title={worth.exact}>worth {worth.text}</span>}
          </>
        )}
      </p>
    </>
  );
}

function Imitation({ of: { token } }: { of: AssetDetails }) {
  return (
    <Notice tone="warn" title="This may imitate another token" className="mt-4">
      Its name or symbol looks like that of{" "}
      <Link href={`/assets/${token.id}`}>
        <bdi>{displaySymbol(token)}</bdi>
      </Link>
      , which {token.public ? "this server's registry lists" : "is older"}. Compare their ids.
    </Notice>
  );
}
