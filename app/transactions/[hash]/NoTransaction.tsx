import { formatCount } from "#lib/client/format.ts";
import { NotFoundPage } from "../../NotFoundPage.tsx";

interface Props {
  /** Whether the path has a hash at all. */
  isHash: boolean;
  tip: { height: number } | null;
}

/** Says that a path names no transaction. */
export const NoTransaction = ({ isHash, tip }: Props) => (
  <NotFoundPage
    isEmpty={!tip}
    heading="Transaction not found"
    title={
      isHash
        ? "No indexed block has a transaction with this hash."
        : "This is not the hash of a transaction, which has 64 hex digits."
    }
  >
    {tip &&
      isHash &&
      `The newest indexed block is ${formatCount(tip.height)}. A reorganisation may have removed the transaction.`}
  </NotFoundPage>
);
