import type { Metadata } from "next";
import { notFound, redirect } from "next/navigation";
import { Cut } from "#components/Cut.tsx";
import { ButtonLink } from "#components/Link.tsx";
import { MissingScope } from "#components/page-parts.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { getService } from "#lib/api/service.ts";
import { detect } from "#lib/client/detect.ts";
import { cutHash, cutToText, formatCount } from "#lib/client/format.ts";
import { transactionPath } from "#lib/client/paths.ts";
import { assetById } from "#lib/queries/assets/read.ts";
import { contract as blockAssetChanges } from "#lib/queries/block-asset-changes/contract.ts";
import { blockOverview } from "#lib/queries/block-overview.ts";
import {
  type AbandonedBlock,
  abandonedBlock,
  blockAtTime,
  blockHashAt,
  blockHeader,
  placeOf,
} from "#lib/queries/chain.ts";
import { decodePart } from "#lib/util/paths.ts";
import { currentCaller, requireCaller, searchText } from "../../caller.ts";
import { BlockView } from "./BlockView.tsx";

type Props = PageProps<"/blocks/[blockHash]">;

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { blockHash } = await params;
  const detected = detect(decodePart(blockHash));
  if (detected.kind !== "block-hash") return { title: "Block" };
  return {
    title: `${await nameOf(detected.hash)} · Asset changes`,
    alternates: { canonical: `/blocks/${detected.hash}` },
  };
}

/** `Block 175`; or its hash if it is not indexed or the reader may not see it. */
async function nameOf(hash: string): Promise<string> {
  const caller = await currentCaller();
  const mayRead = caller?.scopes.includes(blockAssetChanges.scope);
  const block = mayRead ? await (await getService()).store.query(blockHeader, hash) : null;
  return `Block ${block ? formatCount(block.height) : cutToText(cutHash(hash))}`;
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
  if (detected.kind === "block-number" || detected.kind === "time") {
    const hash =
      detected.kind === "time"
        ? (await store.query(blockAtTime, detected.time))?.hash
        : await store.query(blockHashAt, detected.height);
    if (!hash) notFound();
    redirect(`/blocks/${hash}${search}`);
  }
  if (detected.kind !== "block-hash") notFound();
  if (detected.hash !== blockHash) redirect(`/blocks/${detected.hash}${search}`);

  const overview = await store.query(blockOverview, detected.hash);
  if (!overview) {
    const abandoned = await store.query(abandonedBlock, detected.hash);
    if (abandoned) return <ReplacedBlock block={abandoned} />;
    const place = await store.query(placeOf, { transactionHash: detected.hash, outputIndex: 0 });
    if (!place) {
      if (await store.query(assetById, detected.hash)) redirect(`/assets/${detected.hash}`);
      notFound();
    }
    redirect(transactionPath(detected.hash));
  }
  return <BlockView block={overview} caller={caller} path={`/blocks/${overview.hash}${search}`} />;
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
