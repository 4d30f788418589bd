import { ButtonLink } from "#components/Link.tsx";
import { type Detected, detect } from "#lib/client/detect.ts";
import { formatCount, formatUtc } from "#lib/client/format.ts";
import { decodePart } from "#lib/util/paths.ts";
import { NotFoundPage } from "../../NotFoundPage.tsx";

interface Props {
  /** The block as the path names it. */
  named: string;
  tip: { height: number } | null;
}

/** Explains why a path names no block. */
export function NoBlock({ named, tip }: Props) {
  const detected = detect(decodePart(named));
  const isBeyond = tip !== null && detected.kind === "block-number" && detected.height > tip.height;
  return (
    <NotFoundPage
      isEmpty={!tip}
      heading="Block not found"
      title={faultOf(detected)}
      actions={isBeyond && <ButtonLink href="/blocks/tip">Newest block</ButtonLink>}
    >
      {isBeyond
        ? `The newest indexed block is ${formatCount(tip.height)}.`
        : detected.kind === "block-hash" && "No indexed transaction and no asset has this hash either."}
    </NotFoundPage>
  );
}

function faultOf(detected: Detected): string {
  if (detected.kind === "block-number") return `Block ${formatCount(detected.height)} is not indexed.`;
  if (detected.kind === "time") return `All indexed blocks are later than ${formatUtc(detected.time)}.`;
  if (detected.kind === "block-hash") return "No block with this hash is indexed.";
  if (detected.kind === "fault" && !detected.isName) return `${detected.message}.`;
  return "This is not a block's number or hash, or a date.";
}
