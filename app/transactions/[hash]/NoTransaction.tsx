import { ButtonLink } from "#components/Link.tsx";
import { NothingIndexed } from "#components/page-parts.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { formatCount } from "#lib/client/format.ts";
import { markNotFound } from "#lib/server/rendered-request.ts";

interface Props {
  /** Whether the path has a hash at all. */
  isHash: boolean;
  tip: { height: number } | null;
}

/** Says that a path names no transaction. */
export function NoTransaction({ isHash, tip }: Props) {
  markNotFound();
  const heading = "Transaction not found";
  if (!tip) return <NothingIndexed heading={heading} />;
  return (
    <MessagePage
      heading={heading}
      title={
        isHash
          ? "No indexed block has a transaction with this hash."
          : "This is not the hash of a transaction, which has 64 hex digits."
      }
      actions={<ButtonLink href="/">Look up another</ButtonLink>}
    >
      {isHash &&
        `The newest indexed block is ${formatCount(tip.height)}. A reorganisation may have removed the transaction.`}
    </MessagePage>
  );
}
