"use client";

import { useQuery } from "@tanstack/react-query";
import { assetColour, REST_COLOUR } from "#components/asset-colour.ts";
import { useChainStatus } from "#components/chain-tip.ts";
import { type ChartColumn, ColumnChart } from "#components/charts/ColumnChart.tsx";
import { useWhenUnread } from "#components/reading.ts";
import { Time } from "#components/Time.tsx";
import { Section } from "#components/ui/Section.tsx";
import { displaySymbol } from "#lib/client/chain-text.ts";
import { countOf, formatCount, formatUsd } from "#lib/client/format.ts";
import type { LatestBlock, LatestBlocks } from "#lib/client/home.ts";
import { latestBlocks } from "#lib/client/queries.ts";
import { terms } from "#terms";

const ID = "pulse";
/** Assets that the legend names. */
const NAMED = 5;

/** What each of the last blocks moved, the newest at the end, in the colour of the asset that it moved most of. */
export function Pulse({ first }: { first: LatestBlocks }) {
  const { data: status } = useChainStatus();
  const { data: newest = first } = useQuery(latestBlocks(first, status?.tip ?? null));
  const [{ blocks, assets }] = useWhenUnread(ID, newest);
  const [tip, last] = [blocks[0], blocks.at(-1)];
  if (!tip || !last) return null;
  const isPriced = blocks.some(({ largest }) => largest.length > 0);
  const columns = blocks.map((block) => (isPriced ? volumeOf(block, assets) : assetsOf(block))).reverse();
  const leaders = [...Map.groupBy(blocks, ({ largest: [most] }) => most?.id ?? "")]
    .filter(([id]) => id !== "")
    .sort(([, one], [, other]) => other.length - one.length)
    .slice(0, NAMED);
  return (
    <Section
      title={`The last ${formatCount(blocks.length)} blocks`}
      aside={
        <p className="text-text-2 text-xs">
          {isPriced
            ? `Volume in US dollars${terms.hasTokens ? ", in the colour of the asset that moved most. Grey: no asset with a price" : ""}. Faded: higher than drawn.`
            : "Assets moved by each block: none of them has a price."}
        </p>
      }
    >
      <div id={ID}>
        <ColumnChart label="What each block moved, the newest at the end" columns={columns} />
        <p className="mt-1.5 grid grid-cols-2 justify-between gap-x-4 whitespace-nowrap sm:grid-cols-[1fr_auto_1fr] text-text-3 text-xs">
          <span>
            {formatCount(last.height)} · <Time time={last.timestamp} short />
          </span>
          <span
            aria-hidden="true"
            className="flex h-4 flex-wrap justify-center gap-x-3 overflow-hidden max-sm:order-last max-sm:col-span-2 max-sm:mt-1.5 max-sm:justify-start"
          >
            {leaders.map(([id]) => (
              <span key={id} className="flex items-center gap-1.5">
                <span
                  className="size-2 rounded-[2px] forced-color-adjust-none"
                  style={{ backgroundColor: assetColour(id) }}
                />
                <bdi>{displaySymbol(assets[id]!)}</bdi>
              </span>
            ))}
          </span>
          <span className="text-end">
            {formatCount(tip.height)} · <Time time={tip.timestamp} short />
          </span>
        </p>
      </div>
    </Section>
  );
}

const columnOf = ({ hash, height }: LatestBlock, more: Omit<ChartColumn, "key" | "href">): ChartColumn => ({
  ...more,
  key: hash,
  href: `/blocks/${hash}`,
  text: `Block ${formatCount(height)}: ${more.text}`,
});

function volumeOf(block: LatestBlock, assets: LatestBlocks["assets"]): ChartColumn {
  const [most] = block.largest;
  const moved = countOf(block.assetCount, "asset");
  if (!most) {
    const text = block.assetCount === 0 ? "nothing moved" : `${moved}, none with a price`;
    return columnOf(block, { amount: 0n, colour: REST_COLOUR, text, unmeasured: true });
  }
  const volume = BigInt(block.volumeUsd);
  const text = `${formatUsd(volume).text} in ${moved}, most of it ${displaySymbol(assets[most.id]!)}`;
  return columnOf(block, { amount: volume, colour: assetColour(most.id), text });
}

function assetsOf(block: LatestBlock): ChartColumn {
  const { assetCount } = block;
  return columnOf(block, {
    amount: BigInt(assetCount),
    colour: REST_COLOUR,
    text: countOf(assetCount, "asset"),
  });
}
