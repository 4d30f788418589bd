import { AddressLink } from "#components/Address.tsx";
import { AmountOf } from "#components/Amount.tsx";
import { formatCount } from "#lib/client/format.ts";
import { shownAsset } from "#lib/dashboard/home.ts";
import type { ListedOutput } from "#lib/queries/listed-outputs.ts";
import { NotFoundPage } from "../../NotFoundPage.tsx";
import { MarkedOutput } from "./MarkedOutput.tsx";

interface Props {
  /** Null if the path has none. */
  hash: string | null;
  tip: { height: number } | null;
  /** Outputs of the transaction that are stored, although its block is not. */
  known: { outputCount: number | null; outputs: readonly ListedOutput[] } | null;
}

/** Says that a path names no transaction, or one whose block is not indexed. */
export function NoTransaction({ hash, tip, known }: Props) {
  if (hash !== null && known) {
    const { outputs } = known;
    const count = known.outputCount ?? outputs.length;
    return (
      <NotFoundPage heading="Transaction" title="The block of this transaction is not indexed.">
        <MarkedOutput hash={hash} count={null} />
        <p>
          Indexed transactions spend some of its outputs, so these are known
          {count > outputs.length && ` (${formatCount(outputs.length)} of ${formatCount(count)})`}:
        </p>
        <ul className="mt-2 grid gap-1">
          {outputs.map(({ outputIndex, owner, amount, token }) => (
            <li
              key={outputIndex}
              id={String(outputIndex)}
              className="-mx-2 flex min-w-0 flex-wrap gap-x-3 rounded-md px-2 aria-[current]:bg-accent-bg"
            >
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
        hash !== null
          ? "No indexed block has a transaction with this hash."
          : "This is not the hash of a transaction, which has 64 hex digits."
      }
    >
      {tip &&
        hash !== null &&
        `The newest indexed block is ${formatCount(tip.height)}. A reorganisation may have removed the transaction.`}
    </NotFoundPage>
  );
}
