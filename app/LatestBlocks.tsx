"use client";

import { useAtTip, useTip } from "#components/chain-tip.ts";
import { ShareBar, shareInUsd, withOthers } from "#components/charts/ShareBar.tsx";
import { ButtonLink, Link } from "#components/Link.tsx";
import { useWhenUnread } from "#components/reading.ts";
import { Time } from "#components/Time.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Section } from "#components/ui/Section.tsx";
import { displaySymbol } from "#lib/client/chain-text.ts";
import { countOf, formatCount, formatUsd } from "#lib/client/format.ts";
import { countIn, type LatestBlock, LISTED, type LatestBlocks as Newest } from "#lib/client/home.ts";
import { latestBlocks } from "#lib/client/queries.ts";
import { terms } from "#terms";
import { leaderColours, usePulse } from "./Pulse.tsx";

const LIST_ID = "latest-blocks";
const FOLLOW_ID = "follow-blocks";

/** A live list of the newest blocks. While the reader uses it, new blocks wait behind a button. */
export function LatestBlocks({ first }: { first: Newest }) {
  const { data: newest = first } = useAtTip(latestBlocks(first, useTip()));
  const [{ blocks, assets }, show] = useWhenUnread(LIST_ID, newest);
  const shown = new Set(blocks.map(({ hash }) => hash));
  const colourOf = leaderColours(usePulse(first).blocks);
  const added = newest.blocks.filter(({ hash }) => !shown.has(hash)).length;
  // More blocks may have come than the list has.
  const isMore =
    added === newest.blocks.length && (newest.blocks.at(-1)?.height ?? 0) > (blocks[0]?.height ?? 0) + 1;
  return (
    <Section
      title="Latest blocks"
      aside={
        added > 0 ? (
          <Button
            size="narrow"
            onClick={() => {
              show();
              // The link takes the place of the button, which has the focus.
              requestAnimationFrame(() => document.getElementById(FOLLOW_ID)?.focus());
            }}
          >
            Show {isMore ? "the newest blocks" : countOf(added, "new block")}
          </Button>
        ) : (
          <ButtonLink id={FOLLOW_ID} href="/blocks/tip" tone="bare" size="narrow" className="-me-2.5">
            Follow
          </ButtonLink>
        )
      }
    >
      {/* When a block arrives, the list is a new one: rows that moved would count as a layout shift. */}
      <ol key={blocks[0]?.hash} id={LIST_ID} className="divide-y">
        {blocks.slice(0, LISTED).map((block) => (
          <BlockRow key={block.hash} block={block} assets={assets} colourOf={colourOf} />
        ))}
      </ol>
    </Section>
  );
}

interface RowProps {
  block: LatestBlock;
  assets: Newest["assets"];
  colourOf: (id: string) => string;
}

function BlockRow({ block, assets, colourOf }: RowProps) {
  const { height, hash, timestamp, largest, volumeUsd } = block;
  const { text, exact } = formatUsd(BigInt(volumeUsd));
  const isPriced = largest.length > 0;
  const showsVolume = isPriced && terms.hasTokens;
  return (
    <li className="grid h-11 grid-cols-[minmax(0,1fr)_116px] items-center gap-x-4 min-[380px]:grid-cols-[minmax(0,1fr)_40px_116px] sm:grid-cols-[minmax(0,1fr)_72px_116px]">
      <span className="whitespace-nowrap">
        <Link href={`/blocks/${hash}`} className="inline-flex min-h-11 items-center font-semibold text-text">
          {formatCount(height)}
        </Link>{" "}
        <span className="text-text-3">
          <Time time={timestamp} short />
        </span>
      </span>
      <span className="max-[380px]:hidden">
        {showsVolume && <ShareBar parts={sharesOf(block, assets, colourOf)} />}
      </span>
      {showsVolume ? (
        <span className="text-right" title={`${exact} in ${countIn(block)}`}>
          {text}
        </span>
      ) : (
        <span className="text-right text-text-2" title={isPriced ? exact : "No asset here has a price"}>
          {countIn(block)}
        </span>
      )}
    </li>
  );
}

function sharesOf(
  { largest, volumeUsd }: LatestBlock,
  assets: Newest["assets"],
  colourOf: RowProps["colourOf"],
) {
  const parts = largest.map(({ id, volumeUsd }) =>
    shareInUsd(id, displaySymbol(assets[id]!), BigInt(volumeUsd), { colour: colourOf(id) }),
  );
  return withOthers(parts, BigInt(volumeUsd), (amount) => formatUsd(amount).text);
}
