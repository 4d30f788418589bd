import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { MissingScope, NothingIndexed } from "#components/page-parts.tsx";
import { getService } from "#lib/api/service.ts";
import { formatCount } from "#lib/client/format.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import { blockOverview } from "#lib/queries/block-overview.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { currentCaller, requireCaller, searchText } from "../../caller.ts";
import { BlockView } from "../[blockHash]/BlockView.tsx";

export async function generateMetadata(): Promise<Metadata> {
  const caller = await currentCaller();
  const mayRead = caller?.scopes.includes(blockAssetChanges.scope);
  const tip = mayRead ? await (await getService()).store.query(chainTip) : null;
  return { title: `${tip ? `Block ${formatCount(tip.height)}` : "Newest block"} · Asset changes` };
}

/** The newest block. The filters stay when a newer one replaces it. */
export default async function Page({ searchParams }: PageProps<"/blocks/tip">) {
  const search = searchText(await searchParams);
  const caller = await requireCaller(`/blocks/tip${search}`);
  if (!caller.scopes.includes(blockAssetChanges.scope))
    return <MissingScope scope={blockAssetChanges.scope} />;
  const { store } = await getService();
  const tip = await store.query(chainTip);
  const block = tip && (await store.query(blockOverview, tip.hash));
  // A reorganisation happened in between.
  if (tip && !block) redirect(`/blocks/tip${search}`);
  if (block) return <BlockView block={block} caller={caller} path={`/blocks/tip${search}`} follow />;
  return <NothingIndexed heading="Newest block" />;
}
