import { countOf } from "#lib/client/format.ts";
import { changedText, type SinceVisit } from "#lib/client/home.ts";
import { terms } from "#terms";

/** Outputs created and spent since a visit, in words. */
export function Change({ since }: { since: SinceVisit | undefined }) {
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
