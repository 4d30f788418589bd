"use client";

import { useParams } from "next/navigation";
import { detect } from "#lib/client/detect.ts";
import { formatCount } from "#lib/client/format.ts";

/** Why the path names no block, in words. */
export function BlockFault() {
  const { blockHash } = useParams<{ blockHash: string }>();
  const detected = detect(blockHash);
  if (detected.kind === "block-number")
    return `No block with number ${formatCount(detected.height)} is indexed here.`;
  if (detected.kind === "fault") return `Not a block hash: ${detected.message}.`;
  return "No block with this hash is known here.";
}
