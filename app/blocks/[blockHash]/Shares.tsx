import { placeColour, REST_COLOUR } from "#components/asset-colour.ts";
import { REST, type Share, shareInUsd } from "#components/charts/ShareBar.tsx";
import { Treemap } from "#components/charts/Treemap.tsx";
import { Segments } from "#components/ui/Segments.tsx";
import { displaySymbol } from "#lib/client/chain-text.ts";
import { formatCount } from "#lib/client/format.ts";
import { changeParameters, listField } from "#lib/client/url-state.ts";
import type { BlockOverview } from "#lib/queries/block-overview.ts";
import type { AssetChangeRow } from "#lib/queries/change-selection.ts";
import { terms } from "#terms";

/** Individual areas of the treemap, and those on a phone. */
export const SHOWN_SHARES = 30;
const PHONE_SHARES = 9;
/** Longest text of the name filter. */
const NAME_UNITS = 200;

interface Props {
  block: Pick<BlockOverview, "volumeUsd" | "pricedCount" | "tags">;
  largest: readonly AssetChangeRow[];
  /** Path of the page. The parameter `shares` chooses between assets and tags. */
  path: string;
  /** Another block may replace this one: a single asset is drawn, too, to keep the height. */
  steady?: boolean;
}

/** A treemap of the volume by asset or by tag. */
export function Shares({ block, largest, path, steady = false }: Props) {
  if (!terms.hasTokens || (block.pricedCount === 1 && !steady)) return null;
  const whole = BigInt(block.volumeUsd);
  const tags = block.tags.filter(({ volumeUsd }) => volumeUsd !== "0");
  const isByTag = new URLSearchParams(path.split("?")[1]).get("shares") === "tags" && tags.length > 0;
  const parts = isByTag ? tagShares(tags) : assetShares(largest);
  // Tags overlap, so theirs add up to a total of their own.
  const total = isByTag ? parts.reduce((sum, { amount }) => sum + amount, 0n) : whole;
  const partsOf = (limit: number) => {
    const shown = parts.slice(0, limit);
    const count = (isByTag ? parts.length : block.pricedCount) - shown.length;
    const rest = shown.reduce((left, { amount }) => left - amount, total);
    return count > 0 ? [...shown, restShare(count, rest)] : shown;
  };
  const choices = (["assets", "tags"] as const).map((one) => ({
    href: changeParameters(path, { shares: one === "assets" ? "" : one }),
    title: one === "assets" ? "By asset" : "By tag",
    current: (one === "tags") === isByTag,
  }));
  return (
    <section aria-label="Shares of the volume" className="relative mt-5">
      <Treemap
        title={isByTag ? "Volume by tag" : "Volume by asset"}
        parts={partsOf(SHOWN_SHARES)}
        few={partsOf(PHONE_SHARES)}
        of={isByTag ? whole : undefined}
      />
      {isByTag && (
        <p className="mt-2 text-text-3 text-xs">
          An asset counts for each of its tags, so shares may add up to more than the block.
        </p>
      )}
      {tags.length > 0 && (
        <div className="mt-1 flex justify-end lg:absolute lg:end-0 lg:-top-12">
          <Segments label="Shares" choices={choices} />
        </div>
      )}
    </section>
  );
}

const share = (key: string, name: string, volumeUsd: string, filter: Record<string, string>) =>
  shareInUsd(key, name, BigInt(volumeUsd), {
    label: <bdi>{name}</bdi>,
    filter: { ...filter, page: "", tab: "", compare: "" },
  });

const assetShares = (largest: Props["largest"]): Share[] =>
  largest
    .filter(({ amountUsd }) => amountUsd !== "0")
    .map(({ asset: { id }, asset, amountUsd }) =>
      share(id, displaySymbol(asset), amountUsd, { name: id.slice(0, NAME_UNITS) }),
    );

const tagShares = (tags: Props["block"]["tags"]): Share[] =>
  tags
    .map(({ tag, volumeUsd }) => share(tag, tag, volumeUsd, { tags: listField.serialize([tag]) }))
    .sort((one, other) => Number(other.amount - one.amount))
    .map((part, at) => ({ ...part, colour: placeColour(at) }));

function restShare(count: number, amount: bigint): Share {
  const name = `${formatCount(count)} more`;
  const label = (
    <>
      <span className="hidden [@container(min-width:80px)]:inline">{name}</span>
      <span className="[@container(min-width:80px)]:hidden">+{formatCount(count)}</span>
    </>
  );
  return shareInUsd(REST, name, amount, { colour: REST_COLOUR, label });
}
