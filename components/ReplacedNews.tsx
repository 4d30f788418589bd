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
  /** A list that was read at the block. The bar appears only if its rows changed. */
  list?: Standing;
}

/** Says that a block of a page is no longer on the chain. */
export const chainChanged = (height: number, of = "at which this page was read"): string =>
  `The chain changed: block ${formatCount(height)}, ${of}, was replaced`;

/** Says that a past block was replaced while the page that shows its state was open. */
export function ReplacedNews({ block, readAt = block.hash, of, list }: Props) {
  const { height, hash } = block;
  const { data: change } = useAtTip(blockChange(hash, readAt, useTip()));
  if (!useChanged(list, change?.kind === "replaced")) return null;
  return (
    <DismissibleNews
      // The page's cached lists belong to the replaced block.
      action={<Button onClick={() => window.location.reload()}>Reload</Button>}
      text={chainChanged(height, of)}
    />
  );
}
