import { Fragment, type ReactNode } from "react";
import { AssetItem } from "#components/AssetLabel.tsx";
import { Link } from "#components/Link.tsx";
import type { FlagsOf } from "#components/list/flagged.tsx";
import { Sourced } from "#components/Sourced.tsx";
import { displaySymbol, type FlagKind, markedAmount } from "#lib/client/chain-text.ts";
import { countOf, formatCount, formatUsd } from "#lib/client/format.ts";
import { blockLine, type ReceiptLine, tipLines } from "#lib/client/receipts.ts";
import type { AssetInBlock, BlockOverview } from "#lib/queries/block-overview.ts";
import type { AssetChangeRow } from "#lib/queries/change-rows.ts";
import { toUnits, USD_DECIMALS } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import { sharesOfVolume } from "./list.ts";
import { cardOf, volumesOf } from "./Shares.tsx";

interface Props {
  block: BlockOverview;
  /** The largest changes by volume, in order. */
  largest: readonly AssetChangeRow[];
  /** Number of assets whose first mint is in this block; null if a missing block may have it. */
  minted: number | null;
  /** Number of assets that may be mistaken for others. */
  alike: number;
  flagsOf: FlagsOf;
  /** Another block may replace this one: the text keeps the height of most sentences. */
  steady: boolean;
}

/** Classes of the head of a page. Phones have the button of its chart beside the sentence. */
export const PAGE_HEAD =
  "max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:gap-x-2 max-sm:[&>h1]:col-span-full max-sm:[&>button]:row-start-2";
/** Classes of its title and of its sentence, which leaves room for the choice of shares. */
export const PAGE_TITLE = "mt-1 font-bold text-xl wrap-anywhere sm:text-2xl";
export const BLOCK_SENTENCE = "mt-1 text-base text-text-2 md:pe-44";

/** Largest page of the API. */
const PAGE = 100;

/** The volume of a block, and a sentence about what moved. */
export function Headline({ block, largest, minted, alike, flagsOf, steady }: Props) {
  const { height, assetCount, pricedCount: priced, unpricedCount, transactionCount } = block;
  const sourced = (name: string, text: string, ...line: ReceiptLine) => (
    <Sourced
      named
      name={name}
      receipt={{
        lines: [line, blockLine(block), ...tipLines(block.tip)],
        requests: [`/v0/blocks/${block.hash}/asset-changes?pageSize=${PAGE}`],
        link: `/blocks/${block.hash}`,
      }}
    >
      {text}
    </Sourced>
  );
  const pages = Math.ceil(assetCount / PAGE);
  const everyEntry = pages > 1 ? `all ${pages} pages of the request` : "all entries of the request";
  const [most] = largest;
  const notes = [
    priced > 0 && unpricedCount > 0 && (
      <>
        {sourced(
          "Assets without a price",
          formatCount(unpricedCount),
          "Assets",
          String(unpricedCount),
          `entries with amount > 0 and amountUsd = 0, of ${everyEntry}; not counted in the volume`,
        )}{" "}
        {unpricedCount === 1 ? "has" : "have"} no price
      </>
    ),
    minted !== null && minted > 0 && `${countOf(minted, "token")} ${minted === 1 ? "is" : "are"} new`,
    alike > 0 && `${formatCount(alike)} ${alike === 1 ? "looks like another" : "look like others"}`,
  ].filter(Boolean);
  return (
    <>
      <h1 className={`${PAGE_TITLE} ${steady ? "min-h-7 sm:min-h-10" : ""}`}>
        Block {formatCount(height)} moved{" "}
        {priced > 0 ? (
          sourced(
            "Volume, US dollars",
            formatUsd(BigInt(block.volumeUsd)).text,
            "Sum of amountUsd",
            toUnits(block.volumeUsd, USD_DECIMALS),
            `over ${everyEntry}; each is amount × price at the block's time, cut at 8 decimals`,
          )
        ) : (
          <Unpriced assetCount={assetCount} only={most} />
        )}
      </h1>
      {/* Not a paragraph, which cannot hold the receipts. */}
      <div className={`${BLOCK_SENTENCE} ${steady && terms.hasTokens ? "min-h-6 max-sm:min-h-18" : ""}`}>
        {priced > 0 && !terms.hasTokens && most && (
          <Strong>
            <AmountMoved change={most} />
          </Strong>
        )}{" "}
        in{" "}
        {priced > 0 && terms.hasTokens && (
          <>
            <Strong>
              {sourced(
                "Priced assets",
                countOf(priced, "priced asset"),
                "Assets",
                String(priced),
                `entries with amountUsd > 0, of ${everyEntry}`,
              )}
            </Strong>{" "}
            and{" "}
          </>
        )}
        {countOf(transactionCount, "transaction")}
        <Largest changes={largest} volumeUsd={block.volumeUsd} flagsOf={flagsOf} />
        {notes.map((note, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the notes have a fixed order
          <Fragment key={at}>
            {at === 0 ? "; " : ", "}
            {note}
          </Fragment>
        ))}
        .
        {priced === 0 &&
          unpricedCount > 0 &&
          (assetCount === 1 ? " It has no price." : " Nothing that moved has a price.")}
      </div>
    </>
  );
}

/** Flags of an asset that may be mistaken for another one. */
export const ALIKE: ReadonlySet<FlagKind> = new Set(["imitates", "look-alike", "same-symbol"]);

/** The number of tokens, not counting the native asset, whose first mint is in the block. */
export const firstMints = (names: readonly AssetInBlock[], native: { id: string } | null): number =>
  names.filter(({ id, firstMint }) => firstMint && id !== native?.id).length;

/** The headline of a block without prices: the amount of the `only` asset, or the number of assets. */
export function Unpriced({ assetCount, only }: { assetCount: number; only: AssetChangeRow | undefined }) {
  if (assetCount === 1 && only) return <AmountMoved change={only} />;
  return assetCount === 0 ? "no assets" : countOf(assetCount, "asset");
}

export function AmountMoved({ change: { amount, asset } }: { change: AssetChangeRow }) {
  const { text, exact } = markedAmount(amount, asset);
  return (
    <>
      <span title={exact}>{text}</span> <bdi>{displaySymbol(asset)}</bdi>
    </>
  );
}

interface LargestProps {
  changes: readonly AssetChangeRow[];
  volumeUsd: string;
  flagsOf: FlagsOf;
}

/** The part of a sentence about the two assets with the most volume, if two have a price. */
export function Largest({ changes, volumeUsd, flagsOf }: LargestProps) {
  const [most, second] = changes.filter(({ amountUsd }) => amountUsd !== "0");
  const shares = sharesOfVolume(volumesOf(changes), volumeUsd);
  if (!most || !second) return null;
  const named = ({ asset, amountUsd }: AssetChangeRow) => {
    const share = shares.of(asset.id, BigInt(amountUsd));
    return (
      <>
        <AssetItem as="span" {...cardOf(asset, flagsOf)} share={share}>
          <Link href={`/assets/${asset.id}`} className="font-semibold text-text">
            <bdi>{displaySymbol(asset)}</bdi>
          </Link>
        </AssetItem>{" "}
        <span className="whitespace-nowrap">({share})</span>
      </>
    );
  };
  return (
    <>
      , led by {named(most)} and {named(second)}
    </>
  );
}

export const Strong = ({ children }: { children: ReactNode }) => (
  <strong className="font-semibold text-text">{children}</strong>
);
