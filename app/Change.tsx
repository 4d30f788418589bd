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
}

/** The changes since a visit, with a link to the statement from then on, and when that was. */
export function ChangeSince({ since, error, visit }: Props) {
  return (
    <>
      {error ? "Changes unknown" : <Change since={since} visit={visit} />}
      <span className="text-text-3">
        {" "}
        · <Time time={visit.time} short />
      </span>
    </>
  );
}

/** Outputs created and spent, in words. */
function Change({ since, visit: { address, hash } }: Omit<Props, "error">) {
  if (!since) return "…";
  const { isReplaced, isMore, transactions, created, spent } = since;
  if (isReplaced) {
    return (
      <Link href={addressPage(address, { tab: "changes", since: hash })}>Reorganised since your visit</Link>
    );
  }
  if (transactions === 0) return isMore ? "Changes unknown" : "Unchanged";
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
