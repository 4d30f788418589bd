import { formatCoverage } from "#lib/client/format.ts";
import type { AnswerTip } from "#lib/client/request.ts";

/** Says which blocks are indexed if some are missing below the tip: figures then hold only within them. */
export function PartialIndex({ tip }: { tip: AnswerTip | null }) {
  if (!tip?.coverage) return null;
  return (
    <p className="mb-3 rounded-md border border-warn bg-warn-bg px-3 py-2 wrap-anywhere">
      <strong className="font-semibold text-warn">Partial index.</strong> Indexed blocks:{" "}
      {formatCoverage(tip.coverage)}. What is unspent, and totals, hold only within them.
    </p>
  );
}
