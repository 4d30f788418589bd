import { formatCoverage } from "#lib/client/format.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";

/** Lists the indexed blocks if some are missing below the tip. */
export function PartialIndex({ tip }: { tip: IndexTip | null }) {
  if (!tip?.coverage) return null;
  return (
    <details className="mb-3 rounded-md bg-warn-bg px-3 py-2 wrap-anywhere">
      <summary>
        <strong className="font-semibold text-warn">Partial index.</strong> Some blocks are missing.
      </summary>
      <p className="mt-1">
        Indexed blocks: {formatCoverage(tip.coverage)}. What is unspent, and totals, hold only within them.
      </p>
    </details>
  );
}
