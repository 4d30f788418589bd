import { Notice } from "#components/ui/Notice.tsx";
import { formatCount } from "#lib/client/format.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";
import { terms } from "#terms";

/** What a list of an address says while the server knows no block: that it is empty would be a claim about the chain. */
export function NothingIndexed() {
  return (
    <Notice bare tone="neutral" title="Nothing is indexed yet">
      This address is valid. What it holds shows here once this server has indexed blocks.
    </Notice>
  );
}

/** Why an address has no outputs. `asOf` is the block that they were read at; null while none is indexed. */
export function NothingHeld({ asOf }: { asOf: Pick<IndexTip, "height" | "coverage"> | null }) {
  if (asOf === null) return <NothingIndexed />;
  return (
    <Notice bare tone="neutral" title={`No live ${terms.output.many}`}>
      This address is valid but has no unspent outputs
      {asOf.coverage
        ? " in the indexed blocks. It may have some in other blocks."
        : ` as of block ${formatCount(asOf.height)}.`}
    </Notice>
  );
}
