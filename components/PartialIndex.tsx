import { formatCoverage } from "#lib/client/format.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";

/** Lists the indexed blocks, in one line until it is opened, if some are missing below the tip. */
export function PartialIndex({ tip }: { tip: IndexTip | null }) {
  if (!tip?.coverage) return null;
  return (
    <details className="mb-3 rounded-md bg-warn-bg px-3 py-2 wrap-anywhere">
      <summary className="[details:not([open])>&]:truncate">
        <strong className="font-semibold text-warn">Partial index.</strong> Indexed blocks:{" "}
        {formatCoverage(tip.coverage)}.
      </summary>
      <p className="mt-1">Unspent outputs and totals count only these blocks.</p>
    </details>
  );
}
