import { getService } from "#lib/api/service.ts";
import { detect } from "#lib/client/detect.ts";
import { cutHash, cutToText, formatCount, formatUsd, formatUtc } from "#lib/client/format.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import { blockOverview } from "#lib/queries/block-overview.ts";
import { decodePart } from "#lib/util/paths.ts";
import { drawShareImage, SHARE_IMAGE_SIZE } from "../../share-image.tsx";

export const alt = "What moved in a block";
export const size = SHARE_IMAGE_SIZE;
export const contentType = "image/png";

export default async function Image({ params }: { params: Promise<{ blockHash: string }> }) {
  const detected = detect(decodePart((await params).blockHash));
  const hash = detected.kind === "block-hash" ? detected.hash : null;
  const plain = hash === null ? null : { title: "Asset changes of block", subject: cutToText(cutHash(hash)) };
  return drawShareImage(plain, blockAssetChanges.scope, async () => {
    const { store } = await getService();
    const block = hash && (await store.query(blockOverview, hash));
    if (!block) return null;
    return {
      title: `Block ${formatCount(block.height)}`,
      figures: [
        ["Assets moved", formatCount(block.assetCount)],
        ["Volume", block.pricedCount === 0 ? "no price" : formatUsd(BigInt(block.volumeUsd)).text],
        ["Without a price", formatCount(block.unpricedCount)],
        ["Transactions", formatCount(block.transactionCount)],
      ],
      lines: [formatUtc(block.timestamp)],
    };
  });
}
