import { getService } from "#lib/api/service.ts";
import type { Namesakes } from "#lib/client/chain-text.ts";
import { type Detected, detect } from "#lib/client/detect.ts";
import { formatCount } from "#lib/client/format.ts";
import { namesakesAmong } from "#lib/dashboard/namesakes.ts";
import { assetChangesOfBlock } from "#lib/queries/block-asset-changes/read.ts";
import { type BlockOverview, type NamedAsset, namesInBlock } from "#lib/queries/block-overview.ts";
import { blockHeader } from "#lib/queries/chain.ts";
import type { BlockHeader } from "#lib/store/rows.ts";
import { compareChanges, PARENT } from "./comparison.ts";
import { hashNamed } from "./hash-named.ts";

/** Blocks with more assets are not compared. */
const MAX_COMPARED = 5_000;
const LISTED = 50;

export interface Comparison extends ReturnType<typeof compareChanges> {
  other: BlockHeader;
  /** Assets of both blocks that may be mistaken for one another. */
  namesakes: Namesakes;
}

/** Whether the text of a link can name a block to compare with. */
export const namesABlock = (named: string): boolean =>
  named === PARENT || ["block-hash", "block-number", "time"].includes(detect(named).kind);

/** Compares the block with the one in the link; otherwise a sentence that explains why it cannot. */
export async function readComparison(
  block: BlockOverview,
  names: NamedAsset[],
  named: string,
): Promise<Comparison | string> {
  const { store } = await getService();
  const detected = detect(named);
  if (named === PARENT && block.height === 0) return "Block 0 has no previous block.";
  const hash = named === PARENT ? block.parentHash : await hashNamed(store, detected);
  const other = hash && (await store.query(blockHeader, hash));
  if (!other) return faultOf(detected);
  if (other.hash === block.hash) return "This is the block that you are looking at.";
  const all = { assetName: "", tags: [], offset: 0, limit: MAX_COMPARED };
  const [there, here, otherNames] = await Promise.all([
    store.query(assetChangesOfBlock, { ...all, blockHash: other.hash }),
    store.query(assetChangesOfBlock, { ...all, blockHash: block.hash }),
    store.query(namesInBlock, other.hash),
  ]);
  // A reorganisation happened in between.
  if (!there || !here) return faultOf(detected);
  if (Math.max(there.total, here.total) > MAX_COMPARED) {
    return `Blocks with more than ${formatCount(MAX_COMPARED)} assets are not compared.`;
  }
  const both = new Map([...names, ...otherNames].map((asset) => [asset.id, asset]));
  return {
    other,
    namesakes: await namesakesAmong(store, [...both.values()]),
    ...compareChanges(there.rows, here.rows, LISTED),
  };
}

/** Says that the block of the link is not indexed. */
function faultOf(named: Detected): string {
  if (named.kind === "block-hash") {
    return "No block with this hash is indexed, or a reorganisation has replaced it.";
  }
  if (named.kind === "block-number") return `Block ${formatCount(named.height)} is not indexed.`;
  return named.kind === "time" ? "All indexed blocks are later." : "The previous block is not indexed.";
}
