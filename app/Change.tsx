import type { ReactNode } from "react";
import { AddressLink } from "#components/Address.tsx";
import { Link } from "#components/Link.tsx";
import { Time } from "#components/Time.tsx";
import { countOf } from "#lib/client/format.ts";
import { changedText, type SinceVisit } from "#lib/client/home.ts";
import type { Visit } from "#lib/client/visits.ts";
import { addressPage } from "#lib/client/wallet.ts";
import { terms } from "#terms";

interface Props {
  /** Undefined until it is known. */
  since: SinceVisit | undefined;
  error: Error | null;
  visit: Visit;
  children?: ReactNode;
  action?: ReactNode;
}

/** A line of a list: an address, its changes since a visit, and when that was. `children` stand before them. */
export function VisitLine({ since, error, visit, children, action }: Props) {
  return (
    <li className="flex items-center gap-x-1">
      <div className="flex min-h-11 min-w-0 flex-1 flex-wrap items-center justify-between gap-x-4">
        <AddressLink
          address={visit.address}
          narrows
          brief
          className="inline-flex min-h-11 min-w-0 items-center text-text"
        />
        <span className="ms-auto text-right text-text-2">
          {children}
          {error ? "Changes unknown" : <Change since={since} visit={visit} />}
          <span className="text-text-3">
            {" "}
            · <Time time={visit.time} short />
          </span>
        </span>
      </div>
      {action}
    </li>
  );
}

/** Outputs created and spent, in words. */
function Change({ since, visit: { address, hash } }: Pick<Props, "since" | "visit">) {
  if (!since) return "…";
  const { isReplaced, isMore, transactions, created, spent } = since;
  if (isReplaced) {
    return (
      <Link href={addressPage(address, { tab: "changes", since: hash })}>Reorganised since your visit</Link>
    );
  }
  if (transactions === 0) return isMore ? "Changes unknown" : "No transactions";
  const count = countOf(transactions, "transaction");
  return (
    <Link
      href={addressPage(address, { tab: "statement", since: hash })}
      title={`In ${count} since your last visit`}
    >
      {isMore
        ? `At least ${count}`
        : `${changedText(created, spent)} ${created + spent === 1 ? terms.output.one : terms.output.many}`}
    </Link>
  );
}
