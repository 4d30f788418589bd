import type { Metadata } from "next";
import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { Cut } from "#components/Cut.tsx";
import { ButtonLink } from "#components/Link.tsx";
import { ShownAt } from "#components/navigation.tsx";
import { MissingScope } from "#components/page-parts.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { getService } from "#lib/api/service.ts";
import { detect } from "#lib/client/detect.ts";
import { cutHash, cutToText, formatCount } from "#lib/client/format.ts";
import { transactionPath } from "#lib/client/paths.ts";
import { assetById } from "#lib/queries/assets/read.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import { blockOverview } from "#lib/queries/block-overview.ts";
import { type AbandonedBlock, abandonedBlock, blockHeader, chainTip, placeOf } from "#lib/queries/chain.ts";
import { decodePart } from "#lib/util/paths.ts";
import { currentCaller, requireCaller, searchText } from "../../caller.ts";
import { BlockView } from "./BlockView.tsx";
import { hashNamed } from "./hash-named.ts";
import { NoBlock } from "./NoBlock.tsx";
import { blockTitle } from "./tab.ts";

type Props = PageProps<"/blocks/[blockHash]">;

/** The title has the block's number, or its hash if it is not indexed or the reader may not see it. */
export async function generateMetadata({ params, searchParams }: Props): Promise<Metadata> {
  const { store } = await getService();
  const named = detect(decodePart((await params).blockHash));
  const mayRead = (await currentCaller())?.scopes.includes(blockAssetChanges.scope);
  const hash = mayRead || named.kind === "block-hash" ? await hashNamed(store, named) : null;
  if (!hash) return { title: "Block" };
  const block = mayRead ? await store.query(blockHeader, hash) : null;
  const name = block ? formatCount(block.height) : cutToText(cutHash(hash));
  return {
    title: blockTitle(`Block ${name}`, searchText(await searchParams)),
    alternates: { canonical: `/blocks/${hash}` },
  };
}

export default async function Page({ params, searchParams }: Props) {
  const { blockHash } = await params;
  const query = await searchParams;
  const search = searchText(query);
  const caller = await requireCaller(`/blocks/${blockHash}${search}`);
  if (!caller.scopes.includes(blockAssetChanges.scope))
    return <MissingScope scope={blockAssetChanges.scope} />;

  const { store } = await getService();
  const detected = detect(decodePart(blockHash));
  if (detected.kind === "tip") redirect(`/blocks/tip${search}`);
  const hash = await hashNamed(store, detected);
  const missing = async () => <NoBlock named={blockHash} tip={await store.query(chainTip)} />;
  if (!hash) return missing();
  const path = `/blocks/${hash}`;
  // A redirect of a link within the site would show an empty page until the block is ready.
  const isLink = (await headers()).get("sec-fetch-dest") === "empty";
  if (hash !== blockHash && !isLink) redirect(path + search);

  const overview = await store.query(blockOverview, hash);
  if (!overview) {
    const abandoned = await store.query(abandonedBlock, hash);
    if (abandoned) return <ReplacedBlock block={abandoned} />;
    const place = await store.query(placeOf, { transactionHash: hash, outputIndex: 0 });
    if (!place) {
      if (await store.query(assetById, hash)) redirect(`/assets/${hash}`);
      return missing();
    }
    redirect(transactionPath(hash));
  }
  return (
    <>
      <ShownAt path={path} />
      <BlockView block={overview} caller={caller} path={path + search} />
    </>
  );
}

function ReplacedBlock({ block }: { block: AbandonedBlock }) {
  return (
    <MessagePage
      heading={`Block ${formatCount(block.height)} was replaced`}
      tone="warn"
      title="This block was replaced by a reorganisation"
      actions={
        block.replacedBy && (
          <ButtonLink href={`/blocks/${block.replacedBy}`}>Open the block at this height</ButtonLink>
        )
      }
    >
      <p>
        <Cut parts={cutHash(block.hash)} /> is no longer on the canonical chain.{" "}
        {block.replacedBy ? (
          <>
            The block at this height is now <Cut parts={cutHash(block.replacedBy)} />.
          </>
        ) : (
          "No other block at this height is indexed yet."
        )}
      </p>
      <p>Its asset changes no longer count, so they are not listed.</p>
    </MessagePage>
  );
}
