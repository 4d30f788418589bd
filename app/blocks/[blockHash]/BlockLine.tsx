"use client";

import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { CopyButton } from "#components/CopyButton.tsx";
import { Cut } from "#components/Cut.tsx";
import { useAtTip, useTip } from "#components/chain-tip.ts";
import { LeftIcon, RightIcon } from "#components/icons.tsx";
import { ButtonLink } from "#components/Link.tsx";
import { Time } from "#components/Time.tsx";
import { DismissibleNews } from "#components/ui/NewsBar.tsx";
import { countOf, cutHash, formatCount } from "#lib/client/format.ts";
import { blockChange, blockRefused } from "#lib/client/queries.ts";
import { changeParameters } from "#lib/client/url-state.ts";
import type { BlockHeader, IndexTip } from "#lib/contract/ledger.ts";
import { terms } from "#terms";

/** The block, as read at `tip`. */
export interface TitledBlock extends BlockHeader {
  parentHash: string;
  parentIndexed: boolean;
  nextHash: string | null;
  tip: IndexTip;
}

type ReadBlock = Pick<TitledBlock, "height" | "hash" | "tip">;

/** The newest tip, and whether the block is gone or got a successor since the page read it. */
function useBlockNews({ hash, tip }: ReadBlock) {
  const now = useTip();
  const { data: change } = useAtTip(blockChange(hash, tip.hash, now));
  const { data: isRefused } = useQuery(blockRefused(hash));
  const isReplaced = change?.kind === "replaced";
  return { tip: now ?? tip, change, isReplaced, isGone: isReplaced || isRefused };
}

/** The block's neighbours, hash, time and confirmations, which follow the tip while the page is open. */
export function BlockLine({ block }: { block: TitledBlock }) {
  const { change, isGone } = useBlockNews(block);
  const next = change?.kind === "canonical" ? change.next : block.nextHash;
  return (
    <div className="flex min-h-8 flex-wrap items-center gap-x-2 text-text-2 sm:gap-x-4">
      <nav aria-label="Neighbouring blocks" className="-ms-2 flex">
        <Neighbour hash={block.parentIndexed ? block.parentHash : null} label="Previous block" rel="prev" />
        <Neighbour hash={isGone ? null : next} label="Next block" rel="next" />
      </nav>
      <span className="flex items-center gap-1 pointer-coarse:max-sm:-me-2">
        <Cut parts={cutHash(block.hash)} />
        <CopyButton
          text={terms.hashText(block.hash)}
          label="block hash"
          className="pointer-coarse:max-sm:-ms-2"
        />
      </span>
      {/* Phones have the same room for the date, which stands there until scripts run, and for the age, in any font. */}
      <span className="max-sm:-ms-1 max-sm:w-20 max-sm:min-w-0 max-sm:whitespace-nowrap">
        <BlockTime time={block.timestamp} />
      </span>
      <BlockState block={block} />
    </div>
  );
}

/** The time of a block, which phones shorten to its age. */
export function BlockTime({ time }: { time: number }) {
  return (
    <>
      <span className="max-sm:hidden">
        <Time time={time} />
      </span>
      <span className="sm:hidden">
        <Time time={time} short />
      </span>
    </>
  );
}

/** Shows the confirmations of a block, or that it is no longer on the chain, while the page is open. */
export function BlockState({ block }: { block: ReadBlock }) {
  const { tip, isReplaced, isGone } = useBlockNews(block);
  return isGone ? (
    <strong className="font-medium text-bad">
      {isReplaced ? "Replaced by a reorganisation" : "No longer on the chain"}
    </strong>
  ) : (
    <Confirmations
      count={Math.max(0, tip.height - block.height) + terms.ownConfirmations}
      isWhole={block.tip.coverage === undefined}
    />
  );
}

/** `isWhole`: no block below the tip is missing. Otherwise the chain's tip may be far above the index's. */
function Confirmations({ count, isWhole }: { count: number; isWhole: boolean }) {
  if (count >= terms.confirmations)
    return <span className="max-sm:hidden">{countOf(count, "confirmation")}</span>;
  if (!isWhole)
    return count <= terms.ownConfirmations
      ? "the newest indexed block"
      : `at least ${countOf(count, "confirmation")}`;
  return (
    <span className="text-warn">
      {formatCount(count)} of {terms.confirmations} confirmations: may still be replaced
    </span>
  );
}

/** Says that the block was replaced while the page was open. */
export function BlockNews({ block }: { block: TitledBlock }) {
  const { change } = useBlockNews(block);
  const sameView = useSameView();
  if (change?.kind !== "replaced") return null;
  const { by } = change;
  return (
    <DismissibleNews
      action={by && <ButtonLink href={sameView(by)}>Open the block at this height</ButtonLink>}
      text={`This block was replaced by a reorganisation. ${by ? "Its asset changes no longer count." : `No other block ${formatCount(block.height)} is indexed yet.`}`}
    />
  );
}

/** Links to other blocks with the name, tags, order and size of this view. */
function useSameView(): (hash: string) => string {
  const search = useSearchParams().toString();
  return (hash) => changeParameters(`/blocks/${hash}?${search}`, { page: "", paused: "" });
}

function Neighbour({ hash, label, rel }: { hash: string | null; label: string; rel: "prev" | "next" }) {
  const sameView = useSameView();
  return (
    <ButtonLink
      href={hash && sameView(hash)}
      size="square"
      tone="bare"
      rel={rel}
      data-shortcut={rel === "prev" ? "ArrowLeft" : "ArrowRight"}
      aria-label={hash === null ? `${label}: not indexed` : label}
      title={label}
    >
      {rel === "prev" ? <LeftIcon /> : <RightIcon />}
    </ButtonLink>
  );
}
