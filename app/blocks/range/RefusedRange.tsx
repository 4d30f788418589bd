import { NothingIndexed } from "#components/page-parts.tsx";
import { MessagePage } from "#components/ui/MessagePage.tsx";
import { formatCount } from "#lib/client/format.ts";
import { HASH, HEIGHT, SINGLE_DAY, timeIn } from "#lib/contract/block-text.ts";
import { markNotFound } from "#lib/server/rendered-request.ts";
import { type RangeFaults, RangeForm } from "./RangeForm.tsx";

interface Props {
  from: string;
  to: string;
  /** Sentences about blocks that a reorganisation replaced. */
  replaced: RangeFaults;
  /** Null if nothing is indexed. */
  tip: Tip | null;
}

interface Tip {
  height: number;
  /** Milliseconds since the Unix epoch; null if unknown. */
  time: number | null;
}

/** Explains why the parameters name no range, in the form that has them. */
export function RefusedRange({ from, to, replaced, tip }: Props) {
  markNotFound();
  if (!tip) return <NothingIndexed heading="Range of blocks" />;
  return (
    <>
      <MessagePage heading="Range not found" title="This is not a range of blocks">
        A range begins after one block and ends with a later one.
      </MessagePage>
      <div className="lg:ms-[calc(50%-280px)]">
        <RangeForm
          tip={tip}
          range={{ from, to }}
          faults={replaced.from || replaced.to ? replaced : faultsOf(from, to, tip)}
        />
      </div>
    </>
  );
}

function faultsOf(from: string, to: string, tip: Tip): RangeFaults {
  const faults = { from: faultOf(from, tip), to: faultOf(to, tip) };
  if (faults.from ?? faults.to) return faults;
  if (isTime(from) && from === to) return { from: SINGLE_DAY };
  if ((timeIn(from) ?? 0) > (tip.time ?? Number.POSITIVE_INFINITY))
    return { from: "No indexed block is later." };
  if ((timeIn(to) ?? Number.POSITIVE_INFINITY) < (timeIn(from) ?? 0))
    return { to: "This is before the first date." };
  if (isTime(from) && isTime(to)) return { from: "No indexed block is between these two." };
  if (isTime(to) && from === "") return { to: "All indexed blocks are later." };
  // Each is well formed, so their order is wrong, a hash is unknown, or the last time is before all blocks.
  const unknown = (text: string) =>
    HASH.test(text) ? "No indexed block has this hash, or the last block is below the first." : undefined;
  const early = isTime(to)
    ? "All indexed blocks are later, or the last block is below the first."
    : undefined;
  const faultsOfEach = { from: unknown(from), to: unknown(to) ?? early };
  return (faultsOfEach.from ?? faultsOfEach.to)
    ? faultsOfEach
    : { from: "Enter a block below the last one." };
}

function faultOf(text: string, tip: Tip): string | undefined {
  if (text === "" || text === "tip" || HASH.test(text) || isTime(text)) return undefined;
  if (!HEIGHT.test(text)) return "Enter a block number, a block hash or a date.";
  return Number(text) > tip.height ? `The newest block is ${formatCount(tip.height)}.` : undefined;
}

const isTime = (text: string): boolean => timeIn(text) !== undefined;
