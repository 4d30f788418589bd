"use client";

import { useParams } from "next/navigation";
import { detect } from "#lib/client/detect.ts";
import { formatCount } from "#lib/client/format.ts";

/** Why the path names no block, in words. */
export function BlockFault() {
  const { blockHash } = useParams<{ blockHash: string }>();
  const detected = detect(blockHash);
  if (detected.kind === "block-number") return `Block ${formatCount(detected.height)} is not indexed.`;
  if (detected.kind === "fault") return `Not a block hash: ${detected.message}.`;
  return "No block with this hash is indexed.";
}
