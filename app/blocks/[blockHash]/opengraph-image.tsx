import { getService } from "#lib/api/service.ts";
import { detect } from "#lib/client/detect.ts";
import { cutHash, cutToText, formatCount, formatUsd, formatUtc } from "#lib/client/format.ts";
import { contract as blockAssetChanges } from "#lib/questions/block-asset-changes/contract.ts";
import { blockOverview } from "#lib/questions/block-overview.ts";
import { decodePart } from "../../caller.ts";
import { drawShareImage, mayShowFigures, PLAIN_SHARE_IMAGE, SHARE_IMAGE_SIZE } from "../../share-image.tsx";

export const alt = "What moved in a block";
export const size = SHARE_IMAGE_SIZE;
export const contentType = "image/png";

export default async function Image({ params }: { params: Promise<{ blockHash: string }> }) {
  const detected = detect(decodePart((await params).blockHash));
  // Not a hash: a picture of nothing but the service's name.
  if (detected.kind !== "block-hash") return drawShareImage(PLAIN_SHARE_IMAGE);
  const subject = cutToText(cutHash(detected.hash));
  const plain = { ...PLAIN_SHARE_IMAGE, title: "Asset changes of block", subject };
  if (!(await mayShowFigures(blockAssetChanges.scope))) return drawShareImage(plain);

  const { store } = await getService();
  const block = await store.ask(blockOverview, detected.hash);
  if (!block) return drawShareImage(plain);
  const priced = block.assetCount - block.unpricedCount;
  return drawShareImage({
    title: `Block ${formatCount(block.height)}`,
    subject,
    figures: [
      ["Assets moved", formatCount(block.assetCount)],
      ["Volume", priced === 0 ? "no price" : formatUsd(BigInt(block.volumeUsd)).text],
      ["Without a price", formatCount(block.unpricedCount)],
      ["Transactions", formatCount(block.transactionCount)],
    ],
    lines: [formatUtc(block.timestamp)],
  });
}
