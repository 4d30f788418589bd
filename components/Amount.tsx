import { Fragment } from "react";
import { formatAmount, formatUsdText } from "#lib/client/format.ts";
import { Chip } from "./ui/Chip.tsx";

interface Props {
  /** In the smallest unit. */
  amount: bigint | string;
  /** Null if unknown: the raw integer is shown, and marked as such. */
  decimals: number | null;
  /** What a token without decimals counts as, if there is only one of it: `NFT`. */
  unique?: string | undefined;
}

/** Characters that fit beside a name on a phone, and in a line of their own. */
const LONG = 16;
const VERY_LONG = 32;
/** For a column of amounts that keep to one line on a phone. */
export const SMALL_IF_VERY_LONG =
  "max-sm:has-[[data-long=very]]:text-[11px] max-sm:has-[[data-long=very]]:tracking-tight";

/** An exact amount, shortened to fit; its title has all digits. Readers can select and find them as one number. */
export function Amount({ amount, decimals, unique }: Props) {
  const { text, whole, fraction, exact, scaled } = formatAmount(amount, decimals);
  if (!scaled && unique !== undefined) return <Unique count={whole} word={unique} />;
  const { length } = text;
  const title = scaled ? exact : `${exact} smallest units (decimals unknown)`;
  return (
    <span
      className="wrap-anywhere"
      title={title}
      data-long={length > VERY_LONG ? "very" : length > LONG || undefined}
    >
      {!scaled && (
        <>
          <Chip title="Decimals unknown: this is the raw integer">raw</Chip>{" "}
        </>
      )}
      <Breakable text={whole} />
      <span className="whitespace-nowrap">{fraction}</span>
    </span>
  );
}

function Unique({ count, word }: { count: string; word: string }) {
  const after = count === "1" ? ` ${word}` : ` × ${word}`;
  return (
    <span className="whitespace-nowrap">
      {count}
      {after}
    </span>
  );
}

/** Long figures wrap only between groups of digits. */
export function Breakable({ text }: { text: string }) {
  const groups = text.split(",");
  return groups.map((group, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: groups never move
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

/** US dollars of an amount, from the API's text; a dash if it has none. */
export function Dollars({ text, of }: { text: string | null | undefined; of: string }) {
  const value = formatUsdText(text ?? "", of);
  return value ? <span title={value.exact}>{value.text}</span> : <span className="text-text-3">—</span>;
}
