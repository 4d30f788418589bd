"use client";

import { formatCount } from "#lib/client/format.ts";
import { blockChange } from "#lib/client/queries.ts";
import type { Tip } from "#lib/contract/ledger.ts";
import { useAtTip, useTip } from "./chain-tip.ts";
import { Button } from "./ui/Button.tsx";
import { DismissibleNews } from "./ui/NewsBar.tsx";

interface Props {
  block: Tip;
  /** Hash of the tip when the page found the block on the chain; without it, the page asks at once. */
  readAt?: string;
  /** What the block is to the page, after its number. */
  of?: string;
}

/** Says that a past block was replaced while the page that shows its state was open. */
export function ReplacedNews({ block, readAt = block.hash, of = "at which this page was read" }: Props) {
  const { height, hash } = block;
  const { data: change } = useAtTip(blockChange(hash, readAt, useTip()));
  if (change?.kind !== "replaced") return null;
  return (
    <DismissibleNews
      // What the page has kept belongs to the replaced block.
      action={<Button onClick={() => window.location.reload()}>Reload</Button>}
      text={`The chain changed: block ${formatCount(height)}, ${of}, was replaced`}
    />
  );
}
