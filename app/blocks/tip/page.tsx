import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { cache } from "react";
import { MissingScope, NothingIndexed } from "#components/page-parts.tsx";
import { getService } from "#lib/api/service.ts";
import { detect } from "#lib/client/detect.ts";
import { formatCount } from "#lib/client/format.ts";
import { readView } from "#lib/client/url-state.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import { type BlockOverview, blockOverview } from "#lib/queries/block-overview.ts";
import { abandonedBlock, chainTip } from "#lib/queries/chain.ts";
import { currentCaller, requireCaller, searchText } from "../../caller.ts";
import { BlockView } from "../[blockHash]/BlockView.tsx";
import { blockTitle } from "../[blockHash]/tab.ts";
import { tipFields } from "./fields.ts";

type Props = PageProps<"/blocks/tip">;

/** The newest block, or the one at which the reader paused, read once for title and page. Null if nothing is indexed. */
const readBlock = cache(async (search: string): Promise<BlockOverview | null> => {
  const { store } = await getService();
  const paused = detect(readView(tipFields, new URLSearchParams(search)).paused);
  if (paused.kind === "block-hash") {
    const read = await store.query(blockOverview, paused.hash);
    if (read) return read;
    // The page of a replaced block says so. A block that the server does not have yet gives way to the newest one.
    if (await store.query(abandonedBlock, paused.hash)) redirect(`/blocks/${paused.hash}`);
  }
  const tip = await store.query(chainTip);
  const block = tip && (await store.query(blockOverview, tip.hash));
  // A reorganisation happened in between.
  if (tip && !block) redirect(`/blocks/tip${search}`);
  return block;
});

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const caller = await currentCaller();
  const mayRead = caller?.scopes.includes(blockAssetChanges.scope);
  const search = searchText(await searchParams);
  const block = mayRead ? await readBlock(search) : null;
  return { title: blockTitle(block ? `Block ${formatCount(block.height)}` : "Newest block", search) };
}

/** The newest block. The filters stay when a newer one replaces it. */
export default async function Page({ searchParams }: Props) {
  const search = searchText(await searchParams);
  const caller = await requireCaller(`/blocks/tip${search}`);
  if (!caller.scopes.includes(blockAssetChanges.scope))
    return <MissingScope scope={blockAssetChanges.scope} />;
  const block = await readBlock(search);
  if (block) return <BlockView block={block} caller={caller} path={`/blocks/tip${search}`} follow />;
  return <NothingIndexed heading="Newest block" />;
}
