"use client";

import { useParams } from "next/navigation";
import { useChainStatus } from "#components/chain-tip.ts";
import { ButtonLink } from "#components/Link.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { type Detected, detect } from "#lib/client/detect.ts";
import { formatCount } from "#lib/client/format.ts";

/** Explains why the path names no block. A client component, because the framework passes it no parameters. */
export default function NotFound() {
  const detected = detect(useParams<{ blockHash: string }>().blockHash);
  const tip = useChainStatus().data?.tip;
  const isBeyond = detected.kind === "block-number" && tip && detected.height > tip.height;
  return (
    <MessagePage
      heading="Block not found"
      tone="neutral"
      title={faultOf(detected)}
      actions={
        <>
          <ButtonLink href="/">Look up another</ButtonLink>
          {isBeyond && <ButtonLink href="/blocks/tip">Newest block</ButtonLink>}
        </>
      }
    >
      {isBeyond
        ? `The newest indexed block is ${formatCount(tip.height)}.`
        : detected.kind === "block-hash" && "No indexed transaction and no asset has this hash either."}
    </MessagePage>
  );
}

function faultOf(detected: Detected): string {
  if (detected.kind === "block-number") return `Block ${formatCount(detected.height)} is not indexed.`;
  if (detected.kind === "fault") return `Not a block hash: ${detected.message}.`;
  return "No block with this hash is indexed.";
}
