import { Fragment } from "react";
import { type FormattedUsd, formatAmount } from "#lib/client/format.ts";

interface Props {
  /** In the smallest unit. */
  amount: bigint | string;
  /** Null where the scale is unknown: the raw integer is shown, and marked so. */
  decimals: number | null;
  unit?: string;
}

/** As wide as the longest fraction of a table. */
const FRACTION_ROOM = ".00000000…0";

/**
 * An exact amount, cut for the column; the whole of it is in its title. Its digits are one run of text, so that
 * it is selected, found and copied as one number: what lines its point up with the others' is no text.
 */
export function Amount({ amount, decimals, unit }: Props) {
  const { whole, fraction, exact, scaled } = formatAmount(amount, decimals);
  const title = scaled ? exact : `${exact} in the smallest unit: decimals unknown`;
  return (
    <span
      className="amount"
      title={unit ? `${title} ${unit}` : title}
      data-room={FRACTION_ROOM.slice(fraction.length)}
    >
      {!scaled && (
        <>
          <span className="chip" title="Decimals unknown: this is the raw integer">
            raw
          </span>{" "}
        </>
      )}
      <span className="digits">
        <Breakable text={whole} />
        <span className="whitespace-nowrap">{fraction}</span>
      </span>
    </span>
  );
}

/** Long figures may wrap, but only between groups. */
function Breakable({ text }: { text: string }) {
  const groups = text.split(",");
  return groups.map((group, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a group is its place
    <Fragment key={at}>
      {at > 0 && (
        <>
          ,<wbr />
        </>
      )}
      {group}
    </Fragment>
  ));
}

/** US dollars, or a dash that says why there are none. */
export function Usd({ value }: { value: FormattedUsd | null }) {
  if (value) return <span title={value.exact}>{value.text}</span>;
  return (
    <span className="text-text-3" title="This asset has no price at the block's time">
      — <span className="text-xs">no price</span>
    </span>
  );
}
