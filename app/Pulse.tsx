"use client";

import { AssetIcon, AssetItem } from "#components/AssetLabel.tsx";
import { coloursFor, REST_COLOUR } from "#components/asset-colour.ts";
import { useAtTip, useTip } from "#components/chain-tip.ts";
import { type ChartColumn, ColumnChart } from "#components/charts/ColumnChart.tsx";
import { Swatch } from "#components/charts/ShareBar.tsx";
import { useFlags } from "#components/list/flagged.tsx";
import { useWhenUnread } from "#components/reading.ts";
import { Section } from "#components/ui/Section.tsx";
import { displaySymbol, namesakesOf } from "#lib/client/chain-text.ts";
import { countOf, formatCount, formatLevel, formatUsd } from "#lib/client/format.ts";
import { countIn, type LatestBlock, type LatestBlocks } from "#lib/client/home.ts";
import { latestBlocks } from "#lib/client/queries.ts";
import { USD_DECIMALS } from "#lib/util/amounts.ts";
import { terms } from "#terms";

const ID = "pulse";

/** Returns the blocks of the chart, which stay the same while the reader uses it. */
export function usePulse(first: LatestBlocks): LatestBlocks {
  const { data: newest = first } = useAtTip(latestBlocks(first, useTip()));
  return useWhenUnread(ID, newest)[0];
}

/** A live chart of what the latest blocks moved, each in the colour of its largest asset. */
export function Pulse({ first }: { first: LatestBlocks }) {
  const { blocks, assets } = usePulse(first);
  const run = blocks.slice(0, unbroken(blocks));
  const [tip, last] = [run[0], run.at(-1)];
  // A single block says little.
  if (!tip || !last || run.length === 1) return null;
  const isPriced = run.some(({ largest }) => largest.length > 0);
  const colourOf = leaderColours(blocks);
  const columns = run.map((block) => columnOf(block, assets, isPriced, colourOf)).reverse();
  return (
    <Section
      title={`The last ${countOf(run.length, "block")}`}
      aside={
        <p className="text-text-2 text-xs">
          {isPriced
            ? `Volume in US dollars${terms.hasTokens ? ", in the colour of the asset that moved most" : ""}`
            : `${terms.hasTokens ? "Assets moved by" : "Transactions of"} each block: nothing has a price.`}
        </p>
      }
    >
      <div id={ID}>
        <ColumnChart
          label="What each block moved, the newest at the end"
          columns={columns}
          ends={[last, tip]}
        />
        {isPriced && terms.hasTokens && <Legend blocks={run} assets={assets} colourOf={colourOf} />}
      </div>
    </Section>
  );
}

/** The number of newest blocks without a gap between them. */
function unbroken(blocks: readonly LatestBlock[]): number {
  const gap = blocks.findIndex(({ height }, at) => at > 0 && height !== blocks[at - 1]!.height - 1);
  return gap < 0 ? blocks.length : gap;
}

/** The colours of the blocks' largest assets: those with the most volume have their own. */
export function leaderColours(blocks: readonly LatestBlock[]): (id: string) => string {
  const volumes = new Map<string, bigint>();
  for (const { largest } of blocks)
    for (const { id, volumeUsd } of largest.slice(0, 1))
      volumes.set(id, (volumes.get(id) ?? 0n) + BigInt(volumeUsd));
  const sorted = [...volumes].sort(([, one], [, other]) => (one < other ? 1 : -1));
  return coloursFor(sorted.map(([id]) => id));
}

interface LegendProps extends LatestBlocks {
  colourOf: (id: string) => string;
}

/** Names each colour of one asset. Grey stands for all others. */
function Legend({ blocks, assets, colourOf }: LegendProps) {
  const flagsOf = useFlags({ native: terms.native, ...namesakesOf(Object.values(assets)) });
  const leaders = [...new Set(blocks.flatMap(({ largest: [most] }) => most?.id ?? []))];
  // Sorted by colour, so that new blocks do not move the names.
  const named = leaders
    .filter((id) => colourOf(id) !== REST_COLOUR)
    .sort((one, other) => (colourOf(one) < colourOf(other) ? -1 : 1));
  return (
    <ul
      // When its assets change, the list is a new one: names that moved would count as a layout shift.
      key={named.join()}
      aria-hidden="true"
      // Its height is fixed, so that nothing below it moves.
      className="mt-2 grid h-15 grid-cols-4 content-start gap-x-3 gap-y-1 text-text-3 text-xs sm:h-9 sm:grid-cols-6 md:h-4 md:auto-cols-[minmax(0,max-content)] md:grid-flow-col md:grid-cols-none md:justify-center md:gap-x-4"
    >
      {named.map((id) => (
        <AssetItem
          key={id}
          asset={assets[id]!}
          flags={flagsOf(assets[id]!)}
          className="flex min-w-0 items-center gap-1.5"
        >
          <AssetIcon asset={assets[id]!} flags={flagsOf(assets[id]!)} swatch={colourOf(id)} />
          <bdi className="truncate">{displaySymbol(assets[id]!)}</bdi>
        </AssetItem>
      ))}
      {named.length < leaders.length && (
        <li className="flex min-w-0 items-center gap-1.5">
          <Swatch colour={REST_COLOUR} />
          others
        </li>
      )}
    </ul>
  );
}

function columnOf(
  block: LatestBlock,
  assets: LatestBlocks["assets"],
  isPriced: boolean,
  colourOf: (id: string) => string,
): ChartColumn {
  const { hash, height, assetCount, transactionCount, largest, volumeUsd } = block;
  const contents = countIn(block);
  const column = (text: string, amount: bigint, short: string, colour = REST_COLOUR) => {
    return {
      short,
      key: hash,
      href: `/blocks/${hash}`,
      text: `Block ${formatCount(height)}: ${text}`,
      amount,
      colour,
    };
  };
  if (!isPriced) {
    const count = terms.hasTokens ? assetCount : transactionCount;
    return column(contents, BigInt(count), formatCount(count));
  }
  const [most] = largest;
  if (!most) {
    const text = assetCount === 0 ? "nothing moved" : `${contents}, none with a price`;
    return { ...column(text, 0n, ""), unmeasured: true };
  }
  const volume = BigInt(volumeUsd);
  const leader = terms.hasTokens ? `, led by ${displaySymbol(assets[most.id]!)}` : "";
  const short = `$${formatLevel(Number(volume), USD_DECIMALS)}`;
  return column(`${formatUsd(volume).text} in ${contents}${leader}`, volume, short, colourOf(most.id));
}
