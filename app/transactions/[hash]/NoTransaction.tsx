import { AddressLink } from "#components/Address.tsx";
import { AmountOf } from "#components/Amount.tsx";
import { formatCount } from "#lib/client/format.ts";
import { shownAsset } from "#lib/dashboard/home.ts";
import type { ListedOutput } from "#lib/queries/listed-outputs.ts";
import { NotFoundPage } from "../../NotFoundPage.tsx";

interface Props {
  /** Whether the path has a hash at all. */
  isHash: boolean;
  tip: { height: number } | null;
  /** The first outputs of the transaction that are stored, although its block is not. */
  outputs: readonly ListedOutput[];
}

/** Says that a path names no transaction, or one whose block is not indexed. */
export function NoTransaction({ isHash, tip, outputs }: Props) {
  if (outputs.length > 0) {
    return (
      <NotFoundPage heading="Transaction" title="The block of this transaction is not indexed.">
        <p>Indexed transactions spend some of its outputs, so these are known:</p>
        <ul className="mt-2 grid gap-1">
          {outputs.map(({ outputIndex, owner, amount, token }) => (
            <li key={outputIndex} className="flex min-w-0 flex-wrap gap-x-3">
              <span className="text-text-3">#{outputIndex}</span>
              <AddressLink address={owner.text} className="inline-flex min-h-6 min-w-0 items-center" />
              <span>
                <AmountOf amount={amount} asset={shownAsset(token)} />
              </span>
            </li>
          ))}
        </ul>
      </NotFoundPage>
    );
  }
  return (
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
}
