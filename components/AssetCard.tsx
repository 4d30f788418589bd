"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useId, useLayoutEffect, useRef } from "react";
import { type AssetNames, displayName, type Flag, markedAmount } from "#lib/client/chain-text.ts";
import { failureText } from "#lib/client/failure.ts";
import { cutId, formatCount, formatPrice } from "#lib/client/format.ts";
import { fetchData, urlOf } from "#lib/client/request.ts";
import type { AssetEntry } from "#lib/queries/assets/contract.ts";
import { PRICE_DECIMALS, parseDecimal } from "#lib/util/amounts.ts";
import { Cut } from "./Cut.tsx";
import { FactList, FactRow } from "./ui/FactList.tsx";
import { POPOVER } from "./ui/Popover.tsx";

/** An asset's card shows these facts. */
export interface CardFacts {
  asset: AssetNames;
  flags: readonly Flag[];
  /** Its share of what the page is about. */
  share?: string | undefined;
}

interface Props extends CardFacts {
  /** The element that the card opens beside. */
  label: HTMLElement;
  onClose: () => void;
}

/** Facts about an asset, while the pointer or the focus is on the element that names it. It never takes the focus; Escape closes it. */
export default function AssetCard({ asset, flags, share, label, onClose }: Props) {
  const id = useId();
  const card = useRef<HTMLSpanElement>(null);
  const close = useEffectEvent(onClose);
  useLayoutEffect(() => {
    card.current?.showPopover({ source: label });
    const focused = label.contains(document.activeElement) ? document.activeElement : null;
    focused?.setAttribute("aria-describedby", id);
    return () => focused?.removeAttribute("aria-describedby");
  }, [label, id]);
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      if (event.key !== "Escape") return;
      // The table would clear its selection.
      event.stopPropagation();
      close();
    }
    document.addEventListener("keydown", onKeyDown, true);
    return () => document.removeEventListener("keydown", onKeyDown, true);
  }, []);
  return (
    <span
      ref={card}
      id={id}
      role="tooltip"
      popover="manual"
      className={`${POPOVER} m-0 w-max max-w-[min(340px,calc(100vw-32px))] p-3 text-start font-normal forced-color-adjust-auto whitespace-normal [position-area:block-end_span-inline-end] [position-try-fallbacks:flip-block,flip-inline]`}
    >
      <bdi className="font-semibold wrap-anywhere">{displayName(asset)}</bdi>{" "}
      <Cut parts={cutId(asset.id)} className="text-text-3 text-xs" />
      {flags.map(({ kind, reason }) => (
        <span key={kind} className="block text-warn">
          <bdi>{reason}</bdi>
        </span>
      ))}
      <Facts asset={asset} share={share} imitates={flags.some(({ kind }) => kind === "imitates")} />
    </span>
  );
}

const KEPT_MS = 60_000;

function Facts({ asset, share, imitates }: Pick<Props, "asset" | "share"> & { imitates: boolean }) {
  const { id } = asset;
  const { data, error } = useQuery({
    queryKey: ["asset", id],
    queryFn: ({ signal }) =>
      fetchData<AssetEntry>(urlOf("/v0/assets/{id}", { id }, {}), (body) => "holderCount" in body, signal),
    staleTime: KEPT_MS,
  });
  if (error) return <span className="block text-text-2">{failureText(error).title}</span>;
  const price = parseDecimal(data?.priceUsd ?? "", PRICE_DECIMALS);
  const figure = (text: string | undefined) => (data ? text : "…");
  return (
    <>
      {data && data.resembles !== "" && !imitates && (
        <span className="block text-warn">
          Its names look like those of <Cut parts={cutId(data.resembles)} />.
        </span>
      )}
      <FactList short className="mt-2">
        <FactRow name="Price">{figure(price === null ? "none" : formatPrice(price).text)}</FactRow>
        <FactRow name="Supply" className="wrap-anywhere">
          {figure(data && markedAmount(data.tokenInfo.totalSupply, asset, data.standard).text)}
        </FactRow>
        <FactRow name="Holders">{figure(data && formatCount(data.holderCount))}</FactRow>
        {share && <FactRow name="Share here">{share}</FactRow>}
      </FactList>
    </>
  );
}
