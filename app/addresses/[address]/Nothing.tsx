import { Notice } from "#components/ui/Notice.tsx";
import { formatCount } from "#lib/client/format.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";
import { terms } from "#terms";

/** Explains why an address has no outputs. `asOf`: the block at which they were read; null while none is indexed. */
export function NothingHeld({ asOf }: { asOf: Pick<IndexTip, "height" | "coverage"> | null }) {
  if (asOf === null) {
    return (
      <Notice bare title="Nothing indexed yet">
        Holdings appear here once this server has indexed blocks.
      </Notice>
    );
  }
  return (
    <Notice bare title={`No live ${terms.output.many}`}>
      There are no unspent outputs
      {asOf.coverage
        ? " in the indexed blocks. There may be some in other blocks."
        : ` as of block ${formatCount(asOf.height)}.`}
    </Notice>
  );
}
