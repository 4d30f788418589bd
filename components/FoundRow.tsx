"use client";

import type { ReactNode } from "react";
import { displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import {
  capitalised,
  countOf,
  cutAddress,
  cutHash,
  cutTransactionHash,
  formatAmount,
  formatCount,
} from "#lib/client/format.ts";
import type { SearchResult } from "#lib/client/search.ts";
import { terms } from "#terms";
import { AssetLabel } from "./AssetLabel.tsx";
import { Cut } from "./Cut.tsx";
import { AddressIcon, BlockIcon, CollectionIcon, OutputIcon, TransactionIcon } from "./icons.tsx";
import { Time } from "./Time.tsx";

/** A search result on one line: its name, and a detail at the end that distinguishes it. */
export function FoundRow({ found, sought = "" }: { found: SearchResult; sought?: string }) {
  switch (found.kind) {
    case "address":
      return (
        <Row
          icon={<AddressIcon />}
          aside={found.outputs === 0 ? "holds nothing" : countOf(found.outputs, terms.output)}
        >
          Address <Cut parts={cutAddress(found.address)} className="text-text-2" narrows />
        </Row>
      );
    case "block":
      return (
        <Row
          icon={<BlockIcon />}
          aside={found.timestamp === null ? "replaced" : <Time time={found.timestamp} short />}
        >
          Block {formatCount(found.height)}{" "}
          <Cut parts={cutHash(found.hash)} className="text-text-2" narrows />
        </Row>
      );
    case "transaction": {
      const { block, outputCount } = found;
      return (
        <Row
          icon={<TransactionIcon />}
          aside={
            block
              ? `${outputCount === null ? "" : `${countOf(outputCount, terms.output)} `}in block ${formatCount(block.height)}`
              : "its block is not indexed"
          }
        >
          Transaction <Cut parts={cutTransactionHash(found.hash)} className="text-text-2" narrows />
        </Row>
      );
    }
    case "output": {
      const { asset, amount, spentAt, outPoint } = found;
      const [hash = "", index = ""] = outPoint.split(":");
      return (
        <Row
          icon={<OutputIcon />}
          aside={
            <>
              {formatAmount(amount, displayDecimals(asset)).text} <bdi>{displaySymbol(asset)}</bdi>
              {" · "}
              {spentAt === "never"
                ? "nobody can spend it"
                : spentAt === null
                  ? "unspent"
                  : `spent in block ${formatCount(spentAt)}`}
            </>
          }
        >
          {capitalised(terms.output.one)} {formatCount(Number(index))} of{" "}
          <Cut parts={cutTransactionHash(hash)} className="text-text-2" narrows />
        </Row>
      );
    }
    case "asset":
      return (
        <Row aside={countOf(found.holders, "holder")}>
          <AssetLabel asset={found.asset} flags={found.flags} highlight={sought} linked={false} />
        </Row>
      );
    case "collection":
      return (
        <Row icon={<CollectionIcon />} aside="collection">
          <bdi className="truncate font-semibold">{displaySymbol({ ...found, symbol: "", decimals: 0 })}</bdi>
        </Row>
      );
  }
}

function Row({ icon, aside, children }: { icon?: ReactNode; aside: ReactNode; children: ReactNode }) {
  return (
    <span className="flex w-full min-w-0 flex-wrap items-center gap-x-3 text-text">
      {icon && <span className="flex w-6 flex-none justify-center text-text-3">{icon}</span>}
      <span className="flex min-w-0 flex-1 items-center gap-2 whitespace-nowrap">{children}</span>
      <span className="ml-auto min-w-0 truncate text-text-2">{aside}</span>
    </span>
  );
}
