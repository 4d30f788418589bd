"use client";

import { FilterChip } from "#components/FilterChip.tsx";
import { openPage } from "#components/navigation.tsx";
import { usePath } from "#components/url-state.ts";
import { changeParameters } from "#lib/client/url-state.ts";

/** The asset that the transactions are filtered by. */
export function AssetChip({ id, symbol = "Asset" }: { id: string; symbol?: string | undefined }) {
  const path = usePath();
  return (
    <p className="mt-3">
      <FilterChip
        id={id}
        symbol={symbol}
        onRemove={() => openPage(changeParameters(path, { asset: "", page: "" }), false)}
      />
    </p>
  );
}
