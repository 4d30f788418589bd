"use client";

import { formatCount } from "#lib/client/format.ts";
import { blockChange } from "#lib/client/queries.ts";
import type { Tip } from "#lib/contract/ledger.ts";
import { useAtTip, useTip } from "./chain-tip.ts";
import { type Standing, useChanged } from "./list/standing.ts";
import { Button } from "./ui/Button.tsx";
import { DismissibleNews } from "./ui/NewsBar.tsx";

interface Props {
  block: Tip;
  /** Hash of the tip when the page found the block on the chain; without it, the page asks at once. */
  readAt?: string;
  /** The bar puts these words after the block's number. */
  of?: string;
}

/** A list that was read at the block. The bar appears only if its rows changed. */
interface ListProps extends Props {
  list: Standing;
}

/** Says that a block of a page is no longer on the chain. */
export const chainChanged = (height: number, of = "at which this page was read"): string =>
  `The chain changed: block ${formatCount(height)}, ${of}, was replaced`;

function useReplaced({ block: { hash }, readAt = hash }: Props): boolean {
  const { data: change } = useAtTip(blockChange(hash, readAt, useTip()));
  return change?.kind === "replaced";
}

/** Says that a past block was replaced while the page that shows its state was open. */
export const ReplacedNews = (props: Props) => useReplaced(props) && <Replaced {...props} />;

export function ReplacedRowsNews({ list, ...props }: ListProps) {
  return useChanged(list, useReplaced(props)) && <Replaced {...props} />;
}

function Replaced({ block: { height }, of }: Props) {
  return (
    <DismissibleNews
      // The page's cached lists belong to the replaced block.
      action={<Button onClick={() => window.location.reload()}>Reload</Button>}
      text={chainChanged(height, of)}
    />
  );
}
