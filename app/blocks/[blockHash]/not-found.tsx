"use client";

import { useQuery } from "@tanstack/react-query";
import { useParams } from "next/navigation";
import { useChainStatus } from "#components/chain-tip.ts";
import { ButtonLink } from "#components/Link.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { displaySymbol } from "#lib/client/chain-text.ts";
import { type Detected, detect } from "#lib/client/detect.ts";
import { formatCount } from "#lib/client/format.ts";
import { fetchJson } from "#lib/client/request.ts";
import type { TokenInfo } from "#lib/contract/operation.ts";

/** Explains why the path names no block. A client component, because the framework passes it no parameters. */
export default function NotFound() {
  const detected = detect(useParams<{ blockHash: string }>().blockHash);
  const asset = useAssetOf(detected);
  const tip = useChainStatus().data?.tip;
  if (asset) {
    return (
      <MessagePage
        heading="Not a block"
        tone="neutral"
        title={
          <>
            This is the id of an asset: <bdi>{displaySymbol(asset)}</bdi>
          </>
        }
        actions={<ButtonLink href={`/assets/${asset.id}`}>Open the asset</ButtonLink>}
      >
        No block has this hash.
      </MessagePage>
    );
  }
  const isBeyond = detected.kind === "block-number" && tip && detected.height > tip.height;
  return (
    <MessagePage
      heading="Block not found"
      tone="neutral"
      title={faultOf(detected)}
      actions={
        <>
          <ButtonLink href="/">Look up another</ButtonLink>
          {isBeyond && <ButtonLink href="/blocks/tip">Newest block</ButtonLink>}
        </>
      }
    >
      {isBeyond
        ? `The newest indexed block is ${formatCount(tip.height)}.`
        : detected.kind === "block-hash" && "No indexed transaction and no asset has this hash either."}
    </MessagePage>
  );
}

function useAssetOf(detected: Detected): TokenInfo | undefined {
  const hash = detected.kind === "block-hash" ? detected.hash : null;
  const { data } = useQuery({
    queryKey: ["asset-named-by", hash],
    queryFn: async ({ signal }) => {
      const isAsset = (body: object) => "tokenInfo" in body;
      return (await fetchJson<{ tokenInfo: TokenInfo }>(`/v0/assets/${hash}`, isAsset, signal)).data
        .tokenInfo;
    },
    enabled: hash !== null,
    retry: false,
  });
  return data;
}

function faultOf(detected: Detected): string {
  if (detected.kind === "block-number") return `Block ${formatCount(detected.height)} is not indexed.`;
  if (detected.kind === "fault") return `Not a block hash: ${detected.message}.`;
  return "No block with this hash is indexed.";
}
