"use client";

import { terms } from "#chain/terms.ts";
import { OpenCopyMenu } from "#components/table/OpenCopyMenu.tsx";
import type { UtxoEntry } from "#lib/contract/endpoints.ts";
import { stringifyExactJson } from "#lib/contract/json.ts";

interface Props {
  label: string;
  tabIndex: number | undefined;
  entry: UtxoEntry;
}

/** The ways to copy an output. */
export default function OutputCopies({ entry, ...menu }: Props) {
  const [hash = "", index = ""] = entry.outPoint.split(":");
  return (
    <OpenCopyMenu
      {...menu}
      items={[
        { label: "Out point as hash:index", copy: () => entry.outPoint },
        {
          label: "Out point as JSON",
          copy: () => JSON.stringify(terms.outPointJson(hash, Number(index))),
        },
        { label: "Token id", copy: () => entry.token },
        { label: "Amount, smallest unit", copy: () => entry.amount },
        { label: `Capacity, ${terms.smallestUnit.many}`, copy: () => entry.capacity },
        { label: "Row as JSON", copy: () => stringifyExactJson(entry, 2) },
      ]}
    />
  );
}
