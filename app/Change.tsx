import { Time } from "#components/Time.tsx";
import { countOf } from "#lib/client/format.ts";
import { changedText, type SinceVisit } from "#lib/client/home.ts";
import { terms } from "#terms";

interface Props {
  /** Undefined until it is known. */
  since: SinceVisit | undefined;
  error: Error | null;
  /** The time of the visit, in milliseconds since the Unix epoch. */
  time: number;
}

/** The changes since a visit, and when that was. */
export function ChangeSince({ since, error, time }: Props) {
  return (
    <>
      {error ? "Changes unknown" : <Change since={since} />}
      <span className="text-text-3">
        {" "}
        · <Time time={time} short />
      </span>
    </>
  );
}

/** Outputs created and spent, in words. */
function Change({ since }: Pick<Props, "since">) {
  if (!since) return "…";
  const { isReplaced, isMore, transactions, created, spent } = since;
  if (isReplaced) return "Reorganised since your visit";
  if (transactions === 0) return isMore ? "Changes unknown" : "Unchanged";
  if (isMore) return `At least ${countOf(transactions, "transaction")}`;
  return (
    <span className="text-accent" title={`In ${countOf(transactions, "transaction")} since your last visit`}>
      {changedText(created, spent)} {created + spent === 1 ? terms.output.one : terms.output.many}
    </span>
  );
}
