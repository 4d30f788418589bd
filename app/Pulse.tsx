"use client";

import { useQuery } from "@tanstack/react-query";
import { AssetIcon } from "#components/AssetLabel.tsx";
import { assetColour, REST_COLOUR } from "#components/asset-colour.ts";
import { useChainStatus } from "#components/chain-tip.ts";
import { type ChartColumn, ColumnChart } from "#components/charts/ColumnChart.tsx";
import { isAnyCut } from "#components/charts/plot.ts";
import { Swatch } from "#components/charts/ShareBar.tsx";
import { useFlags } from "#components/list/flagged.tsx";
import { useWhenUnread } from "#components/reading.ts";
import { Section } from "#components/ui/Section.tsx";
import { displaySymbol, namesakesOf } from "#lib/client/chain-text.ts";
import { formatCount, formatUsd } from "#lib/client/format.ts";
import { countIn, type LatestBlock, type LatestBlocks } from "#lib/client/home.ts";
import { latestBlocks } from "#lib/client/queries.ts";
import { terms } from "#terms";

const ID = "pulse";

/** A live chart of what the latest blocks moved, each in the colour of its largest asset. */
export function Pulse({ first }: { first: LatestBlocks }) {
  const { data: status } = useChainStatus();
  const { data: newest = first } = useQuery(latestBlocks(first, status?.tip ?? null));
  const [{ blocks, assets }] = useWhenUnread(ID, newest);
  const [tip, last] = [blocks[0], blocks.at(-1)];
  if (!tip || !last) return null;
  const isPriced = blocks.some(({ largest }) => largest.length > 0);
  const columns = blocks.map((block) => columnOf(block, assets, isPriced)).reverse();
  const isCut = isAnyCut(columns.map(({ amount }) => amount));
  return (
    <Section
      title={`The last ${formatCount(blocks.length)} blocks`}
      aside={
        <p className="text-text-2 text-xs">
          {isPriced
            ? `Volume in US dollars${terms.hasTokens ? ", in the colour of the asset that moved most" : ""}.${isCut ? " Faded columns are cut off." : ""}`
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
        {isPriced && terms.hasTokens && <Legend blocks={blocks} assets={assets} />}
      </div>
    </Section>
  );
}

/** Names each colour by the most frequent of the assets that share it, and counts the others. */
function Legend({ blocks, assets }: LatestBlocks) {
  const shown = Object.values(assets);
  const flagsOf = useFlags({ native: terms.native, ...namesakesOf(shown) });
  const ids = Map.groupBy(blocks, ({ largest: [most] }) => most?.id ?? "");
  const leaders = [...ids].sort(([, one], [, other]) => other.length - one.length).map(([id]) => id);
  const colours = Map.groupBy(leaders, (id) => (id === "" ? REST_COLOUR : assetColour(id)));
  // Sorted by colour, so that new blocks do not move the names.
  const inOrder = [...colours].sort(([one], [other]) => (one < other ? -1 : 1));
  return (
    <ul
      aria-hidden="true"
      // Its height is fixed, so that nothing below it moves.
      className="mt-2 grid h-15 grid-cols-4 content-start gap-x-3 gap-y-1 text-text-3 text-xs sm:h-9 sm:grid-cols-6 md:h-4 md:auto-cols-[minmax(0,max-content)] md:grid-flow-col md:grid-cols-none md:justify-center md:gap-x-4"
    >
      {inOrder.map(([colour, those]) => {
        const names = those.map((id) => (id === "" ? "no price" : displaySymbol(assets[id]!)));
        const most = assets[those[0] ?? ""];
        return (
          <li key={colour} className="flex min-w-0 items-center gap-1.5" title={names.join(", ")}>
            {most ? (
              <AssetIcon asset={most} flags={flagsOf(most)} swatch={colour} />
            ) : (
              <Swatch colour={colour} />
            )}
            <bdi className="truncate">{names[0]}</bdi>
            {names.length > 1 && <span>+{names.length - 1}</span>}
          </li>
        );
      })}
    </ul>
  );
}

function columnOf(block: LatestBlock, assets: LatestBlocks["assets"], isPriced: boolean): ChartColumn {
  const { hash, height, assetCount, transactionCount, largest, volumeUsd } = block;
  const contents = countIn(block);
  const column = (text: string, amount: bigint, colour = REST_COLOUR) => {
    return {
      key: hash,
      href: `/blocks/${hash}`,
      text: `Block ${formatCount(height)}: ${text}`,
      amount,
      colour,
    };
  };
  if (!isPriced) return column(contents, BigInt(terms.hasTokens ? assetCount : transactionCount));
  const [most] = largest;
  if (!most) {
    const text = assetCount === 0 ? "nothing moved" : `${contents}, none with a price`;
    return { ...column(text, 0n), unmeasured: true };
  }
  const volume = BigInt(volumeUsd);
  const leader = terms.hasTokens ? `, most of it ${displaySymbol(assets[most.id]!)}` : "";
  return column(`${formatUsd(volume).text} in ${contents}${leader}`, volume, assetColour(most.id));
}
