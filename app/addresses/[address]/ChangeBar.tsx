"use client";

import { useQuery } from "@tanstack/react-query";
import { Button } from "#components/ui/Button.tsx";
import { countOf, formatCount } from "#lib/client/format.ts";
import { chainStatus, listChange } from "#lib/client/queries.ts";
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
  const { data: status } = useQuery(chainStatus());
  const { data: change } = useQuery(listChange(address, outputs, tip, status?.tip ?? null));
  if (!tip || !status?.tip || !change || change.kind === "none") return null;
  return (
    <div
      role="status"
      className="sticky bottom-4 z-20 mx-auto my-2 flex w-fit items-center gap-3 rounded-md border border-accent bg-accent-bg px-3 py-2 print:hidden"
    >
      <span>{textOf(change, status.tip.height - tip.height)}</span>
      <Button onClick={onReload}>Refresh</Button>
    </div>
  );
}

function textOf(change: ListChange, blocks: number): string {
  if (change.kind === "replaced")
    return `The chain changed: block ${formatCount(change.height)}, which this list was read at, was replaced`;
  return `${countOf(blocks, "new block")} changed this list`;
}
