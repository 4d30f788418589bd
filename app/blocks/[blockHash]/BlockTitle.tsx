"use client";

import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { CopyButton } from "#components/CopyButton.tsx";
import { useChainStatus } from "#components/chain-tip.ts";
import { FilterLink } from "#components/FilterLink.tsx";
import { LeftIcon, RightIcon } from "#components/icons.tsx";
import { ButtonLink } from "#components/Link.tsx";
import { Time } from "#components/Time.tsx";
import { NewsBar } from "#components/ui/NewsBar.tsx";
import { countOf, formatCount } from "#lib/client/format.ts";
import { blockChange } from "#lib/client/queries.ts";
import type { AnswerTip } from "#lib/client/request.ts";
import { changeView } from "#lib/client/url-state.ts";
import { PARENT } from "./comparison.ts";
import { assetChangeList } from "./list.ts";

/** A block as the page read it, at `tip`. */
export interface TitledBlock {
  height: number;
  hash: string;
  timestamp: number;
  parentHash: string;
  parentIndexed: boolean;
  nextHash: string | null;
  tip: AnswerTip;
}

/** With so many blocks on top, a reorganisation is not expected. */
const SETTLED_CONFIRMATIONS = 24;

/** The newest tip, and what became of the block since the page read it. */
function useBlockNews({ hash, tip }: TitledBlock) {
  const { data: status } = useChainStatus();
  const now = status?.tip ?? null;
  const { data } = useQuery(blockChange(hash, tip, now));
  return { tip: now ?? tip, change: data };
}

/** Follows the tip while the page is open. */
export function BlockTitle({ block }: { block: TitledBlock }) {
  const { tip, change } = useBlockNews(block);
  const replaced = change?.kind === "replaced";
  const next = change?.kind === "canonical" ? change.next : block.nextHash;
  const search = useSearchParams();
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="font-semibold text-lg">Block {formatCount(block.height)}</h1>
        <nav aria-label="Neighbouring blocks" className="flex gap-1">
          <Neighbour hash={block.parentIndexed ? block.parentHash : null} label="Previous block" rel="prev" />
          <Neighbour hash={replaced ? null : next} label="Next block" rel="next" />
        </nav>
        {!search.has("compare") && <FilterLink filter={{ compare: PARENT }}>Compare</FilterLink>}
        <span className="text-text-2">
          <Time time={block.timestamp} />
        </span>
        <span className="text-text-2">
          {replaced ? (
            <strong className="font-medium text-bad">Replaced by a reorganisation</strong>
          ) : (
            <Confirmations count={Math.max(0, tip.height - block.height)} />
          )}
        </span>
      </div>
      <p className="mb-3 flex items-center gap-1">
        <span className="mono text-text-2 break-all">{block.hash}</span>
        <CopyButton className="-my-1" text={block.hash} label="block hash" />
      </p>
    </>
  );
}

function Confirmations({ count }: { count: number }) {
  if (count >= SETTLED_CONFIRMATIONS) return countOf(count, "confirmation");
  return (
    <span className="text-warn">
      {formatCount(count)} of {SETTLED_CONFIRMATIONS} confirmations: may still be replaced
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
    <NewsBar action={by && <ButtonLink href={sameView(by)}>Open the block at this height</ButtonLink>}>
      This block was replaced by a reorganisation.{" "}
      {by
        ? "Its asset changes no longer count."
        : `No other block ${formatCount(block.height)} is indexed yet.`}
    </NewsBar>
  );
}

/** Links to other blocks with the name, tags, order and size of this view. */
function useSameView(): (hash: string) => string {
  const search = useSearchParams().toString();
  return (hash) => changeView(assetChangeList.fields, `/blocks/${hash}?${search}`, { page: null });
}

function Neighbour({ hash, label, rel }: { hash: string | null; label: string; rel: "prev" | "next" }) {
  const sameView = useSameView();
  return (
    <ButtonLink
      href={hash && sameView(hash)}
      size="square"
      rel={rel}
      data-shortcut={rel === "prev" ? "ArrowLeft" : "ArrowRight"}
      aria-label={hash === null ? `${label}: not indexed` : label}
      title={label}
    >
      {rel === "prev" ? <LeftIcon /> : <RightIcon />}
    </ButtonLink>
  );
}
