import { AssetIcon, AssetLabel } from "#components/AssetLabel.tsx";
import { assetColour, REST_COLOUR } from "#components/asset-colour.ts";
import { CopyButton } from "#components/CopyButton.tsx";
import { Cut } from "#components/Cut.tsx";
import { AreaChart } from "#components/charts/AreaChart.tsx";
import { ColumnChart } from "#components/charts/ColumnChart.tsx";
import { type Share, ShareLegend } from "#components/charts/ShareBar.tsx";
import { ListedIcon } from "#components/icons.tsx";
import { Link } from "#components/Link.tsx";
import { PartialIndex } from "#components/PartialIndex.tsx";
import { Time } from "#components/Time.tsx";
import { Chip } from "#components/ui/Chip.tsx";
import { FactList } from "#components/ui/FactList.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { Section } from "#components/ui/Section.tsx";
import {
  type AssetNames,
  cleanText,
  createFlagger,
  displayDecimals,
  displayName,
  displaySymbol,
  namesakesOf,
  withImitation,
} from "#lib/client/chain-text.ts";
import {
  countOf,
  cutAddress,
  cutId,
  cutToText,
  formatAmount,
  formatCount,
  formatDifference,
  formatLevel,
  formatPrice,
  formatUsd,
  formatUtc,
  shareOf,
} from "#lib/client/format.ts";
import type { ShownAsset } from "#lib/client/home.ts";
import type { CursorPage, FirstAnswer } from "#lib/client/queries.ts";
import { PRICE_DECIMALS, valueInUsd } from "#lib/contract/amounts.ts";
import { shownAsset } from "#lib/dashboard/home.ts";
import type { Holder } from "#lib/questions/asset-holders/contract.ts";
import type { AssetMove, Collection, LookAlikes } from "#lib/questions/asset-relations.ts";
import type { AssetDetails } from "#lib/questions/assets/read.ts";
import type { PriceAt } from "#lib/questions/prices.ts";
import { type BlockHeader, type IndexTip, NATIVE_STANDARD } from "#lib/store/store.ts";
import { terms } from "#terms";
import { CollectionPart } from "./CollectionView.tsx";
import { Holders } from "./Holders.tsx";

interface Props {
  asset: AssetDetails;
  tip: IndexTip | null;
  /** Null if the reader may not read them. */
  moves: AssetMove[] | null;
  alike: LookAlikes;
  collection: Collection | null;
  prices: PriceAt[];
  firstBlock: BlockHeader | null;
  /** Null if the reader may not read them. */
  holders: { first: FirstAnswer<CursorPage<Holder>> | null } | null;
}

export function AssetView(props: Props) {
  const { asset, tip, moves, alike, collection, holders } = props;
  const { token, price, resembles, holderCount } = asset;
  const shown = shownAsset(token);
  const colour = assetColour(token.id);
  const others = alike.assets.length > 1 && <Alike alike={alike} />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-12 pt-2 pb-8">
      <div>
        <PartialIndex tip={tip} />
        <Headline {...props} />
      </div>
      {resembles !== "" && others}
      {collection && <CollectionPart id={token.parentId} collection={collection} current={token.id} />}
      {moves && moves.length > 0 && <Moves asset={shown} moves={moves} colour={colour} />}
      {holders && (
        <div>
          {/* The list names its own region. */}
          <h2 className="mb-3 font-semibold text-base">Holders</h2>
          {holders.first && (
            <LargestHolders
              asset={shown}
              supply={token.totalSupply}
              holders={holders.first.answer.data.result}
            />
          )}
          <Holders
            asset={shown}
            supply={token.totalSupply}
            price={price}
            colour={colour}
            total={holderCount}
            first={holders.first}
          />
        </div>
      )}
      {resembles === "" && others}
    </div>
  );
}

const amountText = (asset: AssetNames, amount: string): string =>
  `${formatAmount(amount, displayDecimals(asset)).text} ${displaySymbol(asset)}`;

/** What it is, what it is worth, and since when it is there. On a partial index the last is not known. */
function Headline({ asset, tip, alike, prices, firstBlock }: Props) {
  const { token, resembles, holderCount, outputCount, tags } = asset;
  const flags = flaggerAmong(alike)(asset);
  const imitated = alike.assets.find((other) => other.token.id === resembles);
  const unique = terms.outputKind(token.standard)?.unique;
  const isPartial = tip?.coverage !== undefined;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-end gap-x-10 gap-y-8 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <div>
        <p className="flex items-center gap-1.5 text-text-2">
          <Cut parts={cutId(token.id)} />
          <CopyButton text={token.id} label="token id" />
          <span aria-hidden="true">·</span>
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
          {(token.public || token.standard === NATIVE_STANDARD) && flags.length === 0 && (
            <span className="text-accent" title="In this server's registry">
              <ListedIcon aria-label="listed" />
            </span>
          )}
        </h1>
        {unique === undefined && <Worth asset={asset} prices={prices} isPartial={isPartial} />}
        <p className="mt-1 flex flex-wrap gap-x-4 text-text-2">
          <span>{countOf(holderCount, "holder")}</span>
          <span>{countOf(outputCount, terms.output)}</span>
          {tip && <span>as of block {formatCount(tip.height)}</span>}
        </p>
        {imitated && <Imitation of={imitated} />}
        <FactList className="mt-4">
          <dt>{isPartial ? "First indexed block" : "First block"}</dt>
          <dd>
            {firstBlock ? (
              <>
                <Link href={`/blocks/${firstBlock.hash}`} className="underline">
                  {formatCount(firstBlock.height)}
                </Link>{" "}
                <span className="text-text-2">
                  <Time time={firstBlock.timestamp} />
                </span>
              </>
            ) : (
              "—"
            )}
          </dd>
          <dt>First mint</dt>
          <dd>
            {isPartial
              ? "not known: some blocks are not indexed"
              : token.firstMintAt === ""
                ? "—"
                : formatUtc(Date.parse(token.firstMintAt))}
          </dd>
          {unique === undefined && displayDecimals(token) !== null && (
            <>
              <dt>Decimals</dt>
              <dd>{token.decimals}</dd>
            </>
          )}
          {tags.length > 0 && (
            <>
              <dt>Tags</dt>
              <dd className="flex flex-wrap gap-1">
                {tags.map((tag) => (
                  <Chip key={tag}>
                    <bdi>{tag}</bdi>
                  </Chip>
                ))}
              </dd>
            </>
          )}
          {token.description !== "" && (
            <>
              <dt>Description</dt>
              <dd className="max-w-[65ch] wrap-anywhere">
                <bdi>{cleanText(token.description, DESCRIPTION).text}</bdi>
              </dd>
            </>
          )}
        </FactList>
      </div>
      {prices.length > 1 && <PriceChart prices={prices} colour={assetColour(token.id)} />}
    </div>
  );
}

const DAY_MS = 86_400_000;

/** The price, or without one the supply, in the page's largest figure. */
function Worth(props: { asset: AssetDetails; prices: PriceAt[]; isPartial: boolean }) {
  const { asset, prices, isPartial } = props;
  const { token, price } = asset;
  const supply = formatAmount(token.totalSupply, displayDecimals(token));
  const within = isPartial ? " in the indexed blocks" : "";
  const now = price === null ? null : formatPrice(BigInt(price));
  const worth = price === null ? null : worthOf(token, token.totalSupply, price);
  const latest = prices.at(-1);
  const before = latest && prices.findLast(({ time }) => time <= latest.time - DAY_MS);
  return (
    <>
      <p className="mt-1 font-bold text-3xl wrap-anywhere" title={(now ?? supply).exact}>
        <Figure text={(now ?? supply).text} />
      </p>
      <p className="mt-1 flex flex-wrap gap-x-4 text-text-2">
        {now === null ? (
          <span>supply{within}; no price is known</span>
        ) : (
          <>
            {latest && before && BigInt(before.usd) > 0n && (
              <Change before={BigInt(before.usd)} now={BigInt(latest.usd)} />
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

/** A figure with paler decimals, unless they are all there is. */
function Figure({ text }: { text: string }) {
  const point = text.indexOf(".");
  if (point < 0 || /^\$?0\./.test(text)) return text;
  return (
    <>
      {text.slice(0, point)}
      <span className="text-text-3 text-xl">{text.slice(point)}</span>
    </>
  );
}

function Change({ before, now }: { before: bigint; now: bigint }) {
  const change = formatDifference(now - before, (size) => shareOf(size, before));
  return (
    <span>
      <span className={now < before ? "text-bad" : "text-good"}>{change}</span> in 24 h
    </span>
  );
}

/** How much of a description the page shows, in characters as readers count them. */
const DESCRIPTION = 400;

function Imitation({ of: { token } }: { of: AssetDetails }) {
  return (
    <div className="mt-4">
      <Notice tone="warn" title="This may imitate another token">
        Its name or symbol looks like that of{" "}
        <Link href={`/assets/${token.id}`}>
          <bdi>{displaySymbol(token)}</bdi>
        </Link>
        , which {token.public ? "this server's registry lists" : "is older"}. Compare their ids.
      </Notice>
    </div>
  );
}

function worthOf(asset: AssetNames, amount: string, price: string) {
  return displayDecimals(asset) === null
    ? null
    : formatUsd(valueInUsd(BigInt(amount), asset.decimals, BigInt(price)), amount);
}

function flaggerAmong({ assets }: LookAlikes) {
  const flagsOf = createFlagger({ native: terms.native, ...namesakesOf(assets.map(({ token }) => token)) });
  return ({ token, resembles }: AssetDetails) => withImitation(flagsOf(token), resembles);
}

/** Points of the chart, at most. */
const POINTS = 120;

/** Prices as they came into force; of many, the last of each stretch of time. */
function PriceChart({ prices, colour }: { prices: PriceAt[]; colour: string }) {
  const [first, last] = [prices[0]!.time, prices.at(-1)!.time];
  const stretch = (time: number) => Math.floor(((time - first) * (POINTS - 1)) / Math.max(last - first, 1));
  const shown = prices.filter(
    ({ time }, at) => at === 0 || stretch(time) !== stretch(prices[at + 1]?.time ?? Number.NaN),
  );
  const amounts = shown.map(({ usd }) => BigInt(usd)).toSorted((one, other) => (one < other ? -1 : 1));
  const [lowest, highest] = [amounts[0]!, amounts.at(-1)!];
  const below = lowest - (highest - lowest) / 4n;
  const day = (time: number) => formatUtc(time).slice(0, 16);
  return (
    <div>
      <p className="mb-2 text-text-2 text-xs">
        Price, from {formatPrice(lowest).text} to {formatPrice(highest).text}
        {highest > lowest && below > 0n && "; the axis does not begin at zero"}
      </p>
      <AreaChart
        caption="Price, US dollars"
        colour={colour}
        floor={highest > lowest && below > 0n ? below : 0n}
        points={shown.map(({ usd, time }) => ({
          x: time,
          amount: BigInt(usd),
          text: formatPrice(BigInt(usd)).text,
          where: formatUtc(time),
          key: String(time),
        }))}
        level={(amount) => `$${formatLevel(amount, PRICE_DECIMALS)}`}
        ticks={[
          { at: 0, text: day(first) },
          { at: 1, text: day(last) },
        ]}
      />
    </div>
  );
}

/** Assets that readers may take for each other, side by side. */
function Alike({ alike }: { alike: LookAlikes }) {
  const { assets, hasMore } = alike;
  const flagsOf = flaggerAmong(alike);
  const [own] = assets;
  return (
    <Section
      title="Look-alikes"
      aside={hasMore && <span className="text-text-2">the first {formatCount(assets.length - 1)}</span>}
    >
      <ul className="grid gap-x-6 gap-y-3 sm:grid-cols-2 lg:grid-cols-4">
        {assets.map((asset) => {
          const { token, holderCount, price } = asset;
          return (
            <li
              key={token.id}
              aria-current={asset === own ? "true" : undefined}
              className="min-w-0 rounded-lg bg-sunken p-4 aria-[current]:bg-accent-bg"
            >
              <AssetLabel asset={shownAsset(token)} flags={flagsOf(asset)} />
              <FactList short className="mt-2">
                <dt>Registry</dt>
                <dd>{token.public || token.id === terms.native.id ? "listed" : "not listed"}</dd>
                <dt>Holders</dt>
                <dd>{formatCount(holderCount)}</dd>
                <dt>Supply</dt>
                <dd className="wrap-anywhere">
                  {formatAmount(token.totalSupply, displayDecimals(token)).text}
                </dd>
                <dt>Price</dt>
                <dd>{price === null ? "none" : formatPrice(BigInt(price)).text}</dd>
                <dt>Id</dt>
                <dd className="flex items-center gap-1">
                  <Cut parts={cutId(token.id)} />{" "}
                  <CopyButton className="-my-1" text={token.id} label="token id" />
                </dd>
              </FactList>
              {asset === own && <p className="mt-2 text-text-2">This token</p>}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** Moves that stand below the chart. */
const LISTED_MOVES = 8;
/** Fewer are no chart. */
const LEAST_COLUMNS = 6;

function Moves({ asset, moves, colour }: { asset: ShownAsset; moves: AssetMove[]; colour: string }) {
  const hrefOf = ({ hash }: AssetMove) => `/blocks/${hash}?name=${asset.id}`;
  const textOf = ({ height, amount, amountUsd, transactions }: AssetMove) =>
    [
      `Block ${formatCount(height)}: ${amountText(asset, amount)}`,
      amountUsd && formatUsd(BigInt(amountUsd)).text,
      countOf(transactions, "transaction"),
    ]
      .filter(Boolean)
      .join(", ");
  return (
    <Section
      title="Where it moved lately"
      aside={<span className="text-text-2">the last {countOf(moves.length, "block")} that moved it</span>}
    >
      {moves.length >= LEAST_COLUMNS && (
        <ColumnChart
          label="Amount moved, by block"
          columns={moves.toReversed().map((move) => ({
            key: move.hash,
            amount: BigInt(move.amount),
            colour,
            text: textOf(move),
            href: hrefOf(move),
          }))}
        />
      )}
      <table className="mt-4 w-full">
        <thead className="text-left text-text-3 text-xs">
          <tr className="*:py-2 *:pe-2 *:font-medium [&>.text-end]:ps-3 [&>.text-end]:pe-0">
            <th scope="col">Block</th>
            <th scope="col">Age</th>
            <th scope="col" className="text-end">
              Amount moved
            </th>
            <th scope="col" className="text-end">
              Value
            </th>
            <th scope="col" className="text-end max-sm:hidden">
              Transactions
            </th>
          </tr>
        </thead>
        <tbody>
          {moves.slice(0, LISTED_MOVES).map((move) => {
            const amount = formatAmount(move.amount, displayDecimals(asset));
            const value = move.amountUsd === null ? null : formatUsd(BigInt(move.amountUsd), move.amount);
            return (
              <tr key={move.hash} className="border-b last:border-0 *:h-11">
                <td>
                  <Link href={hrefOf(move)}>{formatCount(move.height)}</Link>
                </td>
                <td className="whitespace-nowrap text-text-2">
                  <Time time={move.timestamp} short />
                </td>
                <td className="text-end font-medium wrap-anywhere" title={amount.exact}>
                  {amount.text}
                </td>
                <td className="ps-3 text-end text-text-2" title={value?.exact}>
                  {value?.text ?? "—"}
                </td>
                <td className="text-end text-text-2 max-sm:hidden">{formatCount(move.transactions)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Section>
  );
}

/** Holders with a part of their own in the bar. */
const PARTS = 5;

/** Of the first page of the list only: part-way through it, the largest are not known. */
function LargestHolders(props: { asset: ShownAsset; supply: string; holders: readonly Holder[] }) {
  const { asset, supply, holders } = props;
  const largest = holders.slice(0, PARTS);
  if (largest.length < 2) return null;
  const rest = largest.reduce((left, { amount }) => left - BigInt(amount), BigInt(supply));
  const amounts = [...largest.map(({ amount }) => BigInt(amount)), ...(rest > 0n ? [rest] : [])];
  const parts = amounts.map((amount, at): Share => {
    const address = largest[at]?.address;
    const name = address === undefined ? "All others" : cutToText(cutAddress(address));
    return {
      key: address ?? "rest",
      name,
      label:
        address === undefined ? (
          name
        ) : (
          <Link href={`/addresses/${encodeURIComponent(address)}`}>
            <Cut parts={cutId(address)} title={address} />
          </Link>
        ),
      colour: address === undefined ? REST_COLOUR : `var(--color-asset-${at + 1})`,
      amount,
      text: amountText(asset, String(amount)),
      share: shareOf(amount, BigInt(supply)),
    };
  });
  return (
    <div className="mb-6">
      <ShareLegend title="Shares of the supply" parts={parts} />
    </div>
  );
}
