"use client";

import { useParams } from "next/navigation";
import { ButtonLink } from "#components/Link.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { detect } from "#lib/client/detect.ts";
import { formatCount } from "#lib/client/format.ts";

/** A client component, because the framework passes it no parameters. */
export default function NotFound() {
  return (
    <MessagePage
      heading="Block not found"
      tone="neutral"
      title={faultOf(useParams<{ blockHash: string }>().blockHash)}
      actions={<ButtonLink href="/">Look up another</ButtonLink>}
    >
      If it is a transaction hash, this service does not list transactions.
    </MessagePage>
  );
}

/** Why the path names no block. */
function faultOf(part: string): string {
  const detected = detect(part);
  if (detected.kind === "block-number") return `Block ${formatCount(detected.height)} is not indexed.`;
  if (detected.kind === "fault") return `Not a block hash: ${detected.message}.`;
  return "No block with this hash is indexed.";
}
