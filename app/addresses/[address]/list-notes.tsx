"use client";

import { terms } from "#chain/terms.ts";
import { Cut } from "#components/Cut.tsx";
import { Failure, Pause } from "#components/Failure.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { countOf, cutId, formatCount, formatCoverage } from "#lib/client/format.ts";
import type { AnswerTip } from "#lib/client/request.ts";
import type { useUtxos } from "./endless-list.ts";

interface EmptyProps {
  filtered: boolean;
  outputCount: number;
  tip: AnswerTip | null;
  onClear: () => void;
}

export function EmptyList({ filtered, outputCount, tip, onClear }: EmptyProps) {
  const asOf = tip ? ` as of block ${formatCount(tip.height)}` : "";
  if (filtered) {
    return (
      <Notice
        bare
        tone="neutral"
        title={`No live ${terms.output.one} holds this token`}
        actions={<Button onClick={onClear}>Clear the filter</Button>}
      >
        {countOf(outputCount, terms.output)} without the filter{asOf}.
      </Notice>
    );
  }
  return (
    <Notice bare tone="neutral" title={`No live ${terms.output.many}`}>
      {tip?.coverage
        ? `This address is valid but has no unspent outputs in the indexed blocks: ${formatCoverage(tip.coverage)}. It may have some in other blocks.`
        : `This address is valid but has no unspent outputs${asOf}.`}
    </Notice>
  );
}

interface EndProps {
  query: ReturnType<typeof useUtxos>;
  /** The failure that the next request waits after. */
  paused: Error | null;
  /** Rows loaded, flagged ones included. */
  count: number;
  hidden: number;
  tip: AnswerTip | null;
}

/** Why the list stops where it does: a pause, a failure, or its end. Nothing while it continues. */
export function ListEnd({ query, paused, count, hidden, tip }: EndProps) {
  if (paused) {
    return (
      <p className="text-center text-text-2">
        <Pause error={paused} failures={query.failureCount} />
      </p>
    );
  }
  const earlier = query.isFetchPreviousPageError;
  if (query.error) {
    return (
      <Failure
        bare
        error={query.error}
        subject={earlier ? "Earlier rows" : count === 0 ? "The list" : `Rows after ${formatCount(count)}`}
        retrying={query.isFetching}
        onRetry={() =>
          void (earlier ? query.fetchPreviousPage() : count === 0 ? query.refetch() : query.fetchNextPage())
        }
      />
    );
  }
  return (
    <p className="text-center text-text-2">
      End of list: {countOf(count, terms.output)}
      {query.hasPreviousPage && " from where you opened it"}
      {hidden > 0 && `, ${formatCount(hidden)} flagged ${hidden === 1 ? "one" : "ones"} hidden`}
      {tip && (
        <>
          {" "}
          as of block {formatCount(tip.height)} (<Cut parts={cutId(tip.hash)} />)
        </>
      )}
    </p>
  );
}
