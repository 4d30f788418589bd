import { Fragment } from "react";
import {
  type AssetNames,
  displayDecimals,
  markedAmount,
  symbolAndId,
  uniqueCount,
} from "#lib/client/chain-text.ts";
import { formatAmount, formatUsdText } from "#lib/client/format.ts";
import { terms } from "#terms";
import { Chip } from "./ui/Chip.tsx";

interface Props {
  amount: bigint | string;
  /** Null if unknown, which shows the raw integer and says so. */
  decimals: number | null;
  /** Unit of a token without decimals, such as `NFT`. */
  unique?: string | undefined;
}

/** Longer amounts do not fit beside a name on a phone. */
const LONG = 16;
/** Longer amounts do not fit on a line on a phone. */
const VERY_LONG = 32;
/** Classes for a column in which each amount stays on one line on a phone. */
export const SMALL_IF_VERY_LONG =
  "max-sm:has-[[data-long=very]]:text-[11px] max-sm:has-[[data-long=very]]:tracking-tight";

/** An amount, shortened to fit. Its title has all digits. */
export function Amount({ amount, decimals, unique }: Props) {
  const count = uniqueCount(amount, decimals, unique);
  if (count) {
    return (
      <span className="whitespace-nowrap" title={count.exact}>
        {count.text}
      </span>
    );
  }
  const { text, whole, fraction, exact, scaled } = formatAmount(amount, decimals);
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

interface AssetAmountProps {
  amount: bigint | string;
  asset: Omit<AssetNames, "id">;
  /** The kind of output that holds the asset, which may have a unit of its own. */
  kind: string | undefined;
}

export const AssetAmount = ({ amount, asset, kind = "" }: AssetAmountProps) => (
  <Amount amount={amount} decimals={displayDecimals(asset)} unique={terms.outputKind(kind)?.unique} />
);

/** Shows an amount with the symbol of its asset. */
export const AmountOf = ({ amount, asset }: { amount: bigint | string; asset: AssetNames }) => (
  <>
    {markedAmount(amount, asset).text} <bdi>{symbolAndId(asset)}</bdi>
  </>
);

/** A number that wraps only between groups of digits. */
function Breakable({ text }: { text: string }) {
  const [first, ...others] = text.split(",");
  return (
    <>
      {first}
      {others.map((group, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups never move
        <Fragment key={at}>
          ,<wbr />
          {group}
        </Fragment>
      ))}
    </>
  );
}

/** A page's largest figure, with paler decimals unless it is below one. */
export function LargeFigure({
  text,
  unit = "",
  small = false,
}: {
  text: string;
  unit?: string;
  small?: boolean;
}) {
  const point = /^(?:< )?\$?0\./.test(text) ? text.length : `${text}.`.indexOf(".");
  return (
    <>
      {small ? text.slice(0, point) : <Breakable text={text.slice(0, point)} />}
      <span className={`text-text-3 ${small ? "text-sm" : "text-xl"}`}>
        {text.slice(point)}
        {unit && ` ${unit}`}
      </span>
    </>
  );
}

/** The API's US dollars of the amount `of`; a dash without a value. */
export function Dollars({ text, of }: { text: string | null | undefined; of: string }) {
  const value = formatUsdText(text ?? "", of);
  return value ? <span title={value.exact}>{value.text}</span> : <Dash />;
}

export const Dash = () => <span className="text-text-3">—</span>;
