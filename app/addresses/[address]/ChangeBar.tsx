"use client";

import { useQuery } from "@tanstack/react-query";
import { useChainStatus } from "#components/chain-tip.ts";
import { Button } from "#components/ui/Button.tsx";
import { NewsBar } from "#components/ui/NewsBar.tsx";
import { countOf, formatCount } from "#lib/client/format.ts";
import { listChange } from "#lib/client/queries.ts";
import type { AnswerTip } from "#lib/client/request.ts";
import type { ListChange } from "#lib/client/status.ts";

interface Props {
  address: string;
  /** How many the address had when the list was read. */
  outputs: number;
  tip: AnswerTip | null;
  onReload: () => void;
}

/** New blocks move no rows: a bar at the foot of the window tells of those that change the list. */
export function ChangeBar({ address, outputs, tip, onReload }: Props) {
  const { data: status } = useChainStatus();
  const { data: change } = useQuery(listChange(address, outputs, tip, status?.tip ?? null));
  if (!tip || !status?.tip || !change || change.kind === "none") return null;
  return (
    <NewsBar action={<Button onClick={onReload}>Refresh</Button>}>
      {textOf(change, status.tip.height - tip.height)}
    </NewsBar>
  );
}

function textOf(change: ListChange, blocks: number): string {
  if (change.kind === "replaced")
    return `The chain changed: block ${formatCount(change.height)}, which this list was read at, was replaced`;
  return `${countOf(blocks, "new block")} changed this list`;
}
