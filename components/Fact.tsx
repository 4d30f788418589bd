import { formatAmount } from "#lib/client/format.ts";
import { CopyButton } from "./CopyButton.tsx";

interface Props {
  name: string;
  value: string;
  note?: string | undefined;
  /** Limits the height to that of a line of text. */
  tight?: boolean;
}

/** A line of a `FactList`, with a button that copies its exact value. */
export function Fact({ name, value, note, tight = false }: Props) {
  const label = name.toLowerCase();
  return (
    <>
      <dt>{name}</dt>
      {tight ? (
        <dd className="mono flex items-center gap-1 break-all">
          {value} <CopyButton className="-my-1" text={value} label={label} />
        </dd>
      ) : (
        <dd className="flex min-w-0 flex-wrap items-center gap-x-2">
          <span className="flex min-w-0 items-center gap-2">
            <span className="mono min-w-0 break-all">{value || "—"}</span>
            {value && <CopyButton text={value} label={label} />}
          </span>
          {note && <span className="text-text-3 text-xs">{note}</span>}
        </dd>
      )}
    </>
  );
}

interface AmountProps {
  name: string;
  amount: bigint | string;
  decimals: number | null;
  /** Replaces the amount in whole units if the decimals are unknown. */
  without?: string | undefined;
}

/** An amount in its smallest unit, with its conversion to whole units. */
export function AmountFact({ name, amount, decimals, without = "decimals unknown" }: AmountProps) {
  return (
    <Fact
      name={`${name}, smallest unit`}
      value={String(amount)}
      note={decimals === null ? without : `/ 10^${decimals} = ${formatAmount(amount, decimals).exact}`}
    />
  );
}
