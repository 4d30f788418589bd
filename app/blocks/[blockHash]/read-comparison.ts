import { getService } from "#lib/api/service.ts";
import type { Namesakes } from "#lib/client/chain-text.ts";
import { detect } from "#lib/client/detect.ts";
import { formatCount } from "#lib/client/format.ts";
import { namesakesAmong } from "#lib/dashboard/namesakes.ts";
import { assetChangesOfBlock } from "#lib/queries/block-asset-changes/read.ts";
import { type BlockOverview, type NamedAsset, namesInBlock } from "#lib/queries/block-overview.ts";
import { blockAtTime, blockHashAt, blockHeader } from "#lib/queries/chain.ts";
import type { BlockHeader } from "#lib/store/rows.ts";
import { compareChanges, PARENT } from "./comparison.ts";

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
  const { other, fault } = await find(named, block);
  if (!other) return fault;
  if (other.hash === block.hash) return "That is this block.";
  const all = { assetName: "", tags: [], offset: 0, limit: MAX_COMPARED };
  const [there, here, otherNames] = await Promise.all([
    store.query(assetChangesOfBlock, { ...all, blockHash: other.hash }),
    store.query(assetChangesOfBlock, { ...all, blockHash: block.hash }),
    store.query(namesInBlock, other.hash),
  ]);
  // A reorganisation happened in between.
  if (!there || !here) return fault;
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

/** The block in the link, and the sentence to show if it is not stored. */
async function find(named: string, block: BlockOverview) {
  const { store } = await getService();
  const header = async (hash: string | null) => (hash === null ? null : store.query(blockHeader, hash));
  const detected = detect(named);
  if (detected.kind === "block-hash") {
    const fault = "No block with this hash is indexed, or a reorganisation has replaced it.";
    return { other: await header(detected.hash), fault };
  }
  if (detected.kind === "block-number") {
    const fault = `Block ${formatCount(detected.height)} is not indexed.`;
    return { other: await header(await store.query(blockHashAt, detected.height)), fault };
  }
  if (detected.kind === "time") {
    return { other: await store.query(blockAtTime, detected.time), fault: "All indexed blocks are later." };
  }
  return { other: await header(block.parentHash), fault: "The previous block is not indexed." };
}
