import { coloursFor, placeColour, REST_COLOUR } from "#components/asset-colour.ts";
import { percent, share } from "#components/charts/plot.ts";
import { REST, type Share, shareInUsd } from "#components/charts/ShareBar.tsx";
import { Treemap } from "#components/charts/Treemap.tsx";
import { Link } from "#components/Link.tsx";
import type { FlagsOf } from "#components/list/flagged.tsx";
import { Fold } from "#components/ui/Fold.tsx";
import { Segments } from "#components/ui/Segments.tsx";
import { displaySymbol } from "#lib/client/chain-text.ts";
import { countOf, formatCount, formatUsd, shareOf } from "#lib/client/format.ts";
import { listField } from "#lib/client/url-state.ts";
import type { BlockOverview } from "#lib/queries/block-overview.ts";
import type { AssetChangeRow } from "#lib/queries/change-rows.ts";
import { terms } from "#terms";
import { PAGE_SIZES, sharesOfVolume } from "./list.ts";

/** Number of the largest changes that are known to the whole page: all rows of the list's first page. */
export const LARGEST = PAGE_SIZES[0];
/** Maximum number of bars. */
const BARS = 12;

interface Props {
  block: Pick<BlockOverview, "volumeUsd" | "assetCount" | "pricedCount" | "tags"> & { hash?: string };
  largest: readonly AssetChangeRow[];
  flagsOf: FlagsOf;
  /** Path of the page. The parameter `shares` chooses between assets and tags. */
  path: string;
  /** Another block may replace this one: the height stays, even with one priced asset or none, and an open chart stays open. */
  steady?: boolean;
}

/** The volume by asset, as areas, or by tag. */
export function Shares({ block, largest, flagsOf, path, steady = false }: Props) {
  if (!terms.hasTokens || (block.pricedCount < 2 && !steady)) return null;
  const whole = BigInt(block.volumeUsd);
  const tags = block.tags.filter(({ volumeUsd }) => volumeUsd !== "0");
  const isByTag = new URLSearchParams(path.split("?")[1]).get("shares") === "tags" && tags.length > 0;
  return (
    <Fold label="Chart">
      {/* Another block has another section, so that nothing counts as moved. */}
      <section key={block.hash} aria-label="Shares of the volume" className="relative mt-3">
        {block.pricedCount === 0 ? (
          <p className="h-33 rounded-md bg-sunken p-4 text-text-2 max-md:h-24">
            {block.assetCount === 0 ? "Nothing moved." : "No asset here has a price."}
          </p>
        ) : isByTag ? (
          <TagBars tags={tags} whole={whole} />
        ) : (
          <Treemap
            title="Volume by asset"
            {...assetShares(largest, flagsOf, block.pricedCount, whole)}
            shares={sharesOfVolume(volumesOf(largest), block.volumeUsd)}
          />
        )}
        {tags.length > 0 && (
          // Beside the sentence, which leaves room for it.
          <div className="flex justify-end max-md:-mb-3 md:absolute md:end-0 md:bottom-full md:mb-2.5">
            <Segments
              label="Shares"
              choices={[
                { href: { shares: "" }, title: "By asset", current: !isByTag },
                { href: { shares: "tags" }, title: "By tag", current: isByTag },
              ]}
            />
          </div>
        )}
      </section>
    </Fold>
  );
}

/** The assets of the largest changes, for the list. */
export const volumesOf = (largest: Props["largest"]) =>
  largest.map(({ asset: { id }, amountUsd }) => ({ id, volumeUsd: amountUsd }));

/** The chart shows the whole block, so a link in it replaces the filters of the list. It keeps all other parameters. */
const ONLY_THIS = { asset: "", name: "", tags: "", page: "", tab: "", compare: "" };

/** Returns what the card of an asset shows. The browser does not need the asset's other fields. */
export function cardOf(asset: AssetChangeRow["asset"], flagsOf: FlagsOf) {
  const { id, name, symbol, decimals } = asset;
  return { asset: { id, name, symbol, decimals }, flags: flagsOf(asset) };
}

function assetShares(largest: Props["largest"], flagsOf: FlagsOf, pricedCount: number, whole: bigint) {
  const priced = largest.filter(({ amountUsd }) => amountUsd !== "0");
  const colourOf = coloursFor(largest.map(({ asset }) => asset.id));
  const parts = priced.map(({ asset, amountUsd }): Share => {
    const { id } = asset;
    const shown = displaySymbol(asset);
    return shareInUsd(id, shown, BigInt(amountUsd), {
      label: <bdi>{shown}</bdi>,
      colour: colourOf(id),
      asset: cardOf(asset, flagsOf),
      filter: { ...ONLY_THIS, asset: id },
    });
  });
  const restOf = (shown: number): Share | null => {
    // A single asset keeps its name, and its share.
    if (pricedCount - shown === 1 && parts[shown]) return parts[shown];
    const rest = parts.slice(0, shown).reduce((left, { amount }) => left - amount, whole);
    const name = shown === 0 ? countOf(pricedCount, "asset") : `${formatCount(pricedCount - shown)} more`;
    return pricedCount > shown ? shareInUsd(REST, name, rest, { colour: REST_COLOUR }) : null;
  };
  return { parts, restOf };
}

/** Tags overlap, so they are drawn as bars, not as parts of a whole. The longest bar is that of the largest tag. */
function TagBars({ tags, whole }: { tags: Props["block"]["tags"]; whole: bigint }) {
  const sorted = tags.toSorted((one, other) => Number(BigInt(other.volumeUsd) - BigInt(one.volumeUsd)));
  const most = BigInt(sorted[0]?.volumeUsd ?? 0);
  const shown = sorted.slice(0, BARS);
  return (
    <>
      <ul
        aria-label="Volume by tag"
        className="grid grid-cols-2 gap-x-4 gap-y-1 md:h-28 md:grid-flow-col md:grid-cols-3 md:grid-rows-4 md:gap-x-6"
      >
        {shown.map(({ tag, volumeUsd }, at) => {
          const volume = BigInt(volumeUsd);
          const [text, part] = [formatUsd(volume).text, shareOf(volume, whole)];
          return (
            <li
              key={tag}
              title={`${tag}: ${text} · ${part}`}
              className={`relative min-w-0 ${at < SHOWN_ON_PHONES ? "" : "max-md:hidden"}`}
            >
              <span
                aria-hidden="true"
                className="absolute inset-y-0 start-0 rounded-md forced-color-adjust-none"
                style={{
                  width: percent(share(volume, most)),
                  backgroundColor: `color-mix(in srgb, ${placeColour(0)} 18%, var(--color-bg))`,
                }}
              />
              <Link
                href={{ ...ONLY_THIS, tags: listField.serialize([tag]) }}
                className="relative flex h-full min-h-6 items-center justify-between gap-2 rounded-md px-2 text-sm text-text no-underline hover:bg-text/5 max-md:min-h-11"
              >
                <bdi className="min-w-0 truncate font-semibold">{tag}</bdi>
                <span className="sr-only">: {text} · </span>
                <span className="flex-none text-text-2 text-xs">
                  <span aria-hidden="true" className="max-md:hidden">
                    {text} ·{" "}
                  </span>
                  {part}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
      <p className="mt-1 text-text-3 text-xs">
        {shown.length < tags.length && `The largest of ${countOf(tags.length, "tag")}. `}
        An asset counts for each of its tags, so shares may add up to more than 100 %.
      </p>
    </>
  );
}

const SHOWN_ON_PHONES = 4;
