"use client";

import type { ReactNode } from "react";
import { displaySymbol } from "#lib/client/chain-text.ts";
import {
  type CutText,
  capitalised,
  countOf,
  cutHash,
  cutTransactionHash,
  formatCount,
  unspentText,
} from "#lib/client/format.ts";
import { splitOutPoint } from "#lib/client/paths.ts";
import type { FoundOutput, SearchResult } from "#lib/client/search.ts";
import { terms } from "#terms";
import { Address } from "./Address.tsx";
import { AmountOf } from "./Amount.tsx";
import { AssetLabel, Highlighted } from "./AssetLabel.tsx";
import { Cut } from "./Cut.tsx";
import { AddressIcon, BlockIcon, CollectionIcon, OutputIcon, TransactionIcon } from "./icons.tsx";
import { Time } from "./Time.tsx";

interface Line {
  icon?: ReactNode;
  name: ReactNode;
  id?: CutText;
  aside: ReactNode;
}

/** A search result on one line: its name, and a detail at the end that distinguishes it. */
export function FoundRow({ found, sought = "" }: { found: SearchResult; sought?: string }) {
  const { icon, name, id, aside } = lineOf(found, sought);
  return (
    <span className="flex w-full min-w-0 flex-wrap items-center gap-x-3 text-text">
      {icon && <span className="flex w-6 flex-none justify-center text-text-3">{icon}</span>}
      <span className="flex min-w-0 flex-1 items-center gap-2 whitespace-nowrap">
        {name} {id && <Cut parts={id} className="text-text-2" narrows />}
      </span>
      <span className="ml-auto min-w-0 truncate text-text-2">{aside}</span>
    </span>
  );
}

function lineOf(found: SearchResult, sought: string): Line {
  switch (found.kind) {
    case "address": {
      const { address, outputs } = found;
      const held = outputs === null ? "your label" : countOf(outputs, terms.output);
      const name = (
        <>
          Address <Address address={address} className="text-text-2" narrows />
        </>
      );
      return { icon: <AddressIcon />, name, aside: outputs === 0 ? "holds nothing" : held };
    }
    case "block": {
      const { height, hash, timestamp } = found;
      const time = timestamp === null ? "replaced" : <Time time={timestamp} short />;
      return { icon: <BlockIcon />, name: `Block ${formatCount(height)}`, id: cutHash(hash), aside: time };
    }
    case "transaction": {
      const { hash, block, outputCount } = found;
      const count = outputCount === null ? "" : `${countOf(outputCount, terms.output)} `;
      const place = block ? `${count}in block ${formatCount(block.height)}` : "its block is not indexed";
      return { icon: <TransactionIcon />, name: "Transaction", id: cutTransactionHash(hash), aside: place };
    }
    case "output": {
      const [hash, index] = splitOutPoint(found.outPoint);
      const name = `${capitalised(terms.output.one)} ${formatCount(Number(index))} of`;
      return { icon: <OutputIcon />, name, id: cutTransactionHash(hash), aside: <Held output={found} /> };
    }
    case "asset": {
      const label = <AssetLabel asset={found.asset} flags={found.flags} highlight={sought} linked={false} />;
      return { name: label, aside: `asset, ${countOf(found.holders, "holder")}` };
    }
    case "collection": {
      const symbol = displaySymbol({ ...found, symbol: "", decimals: 0 });
      const name = (
        <bdi className="truncate font-semibold">
          <Highlighted text={symbol} part={sought} />
        </bdi>
      );
      return { icon: <CollectionIcon />, name, aside: "collection" };
    }
  }
}

function Held({ output: { asset, amount, spentAt } }: { output: FoundOutput }) {
  const spent = typeof spentAt === "number" && `spent in block ${formatCount(spentAt)}`;
  return (
    <>
      <AmountOf amount={amount} asset={asset} />
      {" · "}
      {spent || unspentText(spentAt !== "never")}
    </>
  );
}
