"use client";

import { Button } from "#components/ui/Button.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { countOf, formatCount } from "#lib/client/format.ts";

interface Props {
  page: number;
  pageCount: number;
  total: number;
  filtered: boolean;
  name: string;
  assetCount: number;
  onClear: () => void;
  onPage: (page: number) => void;
}

/** Three reasons for having no rows: past the end, all filtered out, or a block that moved nothing. */
export function EmptyPage({ page, pageCount, total, filtered, name, assetCount, onClear, onPage }: Props) {
  if (total > 0) {
    return (
      <Notice
        bare
        tone="neutral"
        title={`Page ${formatCount(page)} does not exist: this list has ${countOf(pageCount, "page")}`}
        actions={
          <>
            <Button onClick={() => onPage(1)}>First page</Button>
            {pageCount > 1 && <Button onClick={() => onPage(pageCount)}>Last page</Button>}
          </>
        }
      />
    );
  }
  if (filtered) {
    return (
      <Notice
        bare
        tone="neutral"
        title={name === "" ? "No asset matches" : `No asset matches “${name}”`}
        actions={<Button onClick={onClear}>Clear the filters</Button>}
      >
        {countOf(assetCount, "asset")} without the filters.
      </Notice>
    );
  }
  return (
    <Notice bare tone="neutral" title="No assets moved in this block">
      The block is indexed and on the canonical chain.
    </Notice>
  );
}
