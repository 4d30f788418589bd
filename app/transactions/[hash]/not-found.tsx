"use client";

import { useParams } from "next/navigation";
import { useTip } from "#components/chain-tip.ts";
import { ButtonLink } from "#components/Link.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { detect } from "#lib/client/detect.ts";
import { formatCount } from "#lib/client/format.ts";
import { decodePart } from "#lib/util/paths.ts";

export default function NotFound() {
  const detected = detect(decodePart(useParams<{ hash: string }>().hash));
  const tip = useTip();
  return (
    <MessagePage
      heading="Transaction not found"
      title={
        detected.kind === "block-hash"
          ? "No indexed block has a transaction with this hash."
          : "This is not the hash of a transaction, which has 64 hex digits."
      }
      actions={<ButtonLink href="/">Look up another</ButtonLink>}
    >
      {tip &&
        detected.kind === "block-hash" &&
        `The newest indexed block is ${formatCount(tip.height)}. A reorganisation may have removed the transaction.`}
    </MessagePage>
  );
}
