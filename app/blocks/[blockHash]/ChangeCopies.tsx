"use client";

import { OpenCopyMenu } from "#components/table/OpenCopyMenu.tsx";
import type { AssetChange } from "#lib/contract/endpoints.ts";
import { stringifyExactJson } from "#lib/contract/json.ts";

interface Props {
  label: string;
  tabIndex: number | undefined;
  change: AssetChange;
}

/** The ways to copy an asset change. */
export default function ChangeCopies({ change, ...menu }: Props) {
  return (
    <OpenCopyMenu
      {...menu}
      items={[
        { label: "Asset id", copy: () => change.asset.id },
        { label: "Amount, smallest unit", copy: () => change.amount.toString() },
        { label: "Volume, US dollars", copy: () => change.amountUsd },
        { label: "Row as JSON", copy: () => stringifyExactJson(change, 2) },
      ]}
    />
  );
}
