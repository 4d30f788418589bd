"use client";

import { FilterChip } from "#components/FilterChip.tsx";
import { openPage } from "#components/navigation.tsx";

/** The asset that the transactions are filtered by. */
export function AssetChip({ id, symbol = "Asset" }: { id: string; symbol?: string | undefined }) {
  return (
    <p className="mt-3">
      <FilterChip id={id} symbol={symbol} onRemove={() => openPage({ asset: "", page: "" })} />
    </p>
  );
}
