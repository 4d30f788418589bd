import { Notice } from "#components/ui/Notice.tsx";

/** What a list of an address says while the server knows no block: that it is empty would be a claim about the chain. */
export function NothingIndexed() {
  return (
    <Notice bare tone="neutral" title="Nothing is indexed yet">
      This address is valid. What it holds shows here once this server has indexed blocks.
    </Notice>
  );
}
