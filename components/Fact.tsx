"use client";

import { formatAmount, uncapitalised } from "#lib/client/format.ts";
import { addressPage } from "#lib/client/wallet.ts";
import type { NativeAsset } from "#lib/contract/ledger.ts";
import { terms } from "#terms";
import { CopyButton } from "./CopyButton.tsx";
import { Link } from "./Link.tsx";
import { useLabel } from "./labels.tsx";
import { FactRow } from "./ui/FactList.tsx";

interface Props {
  name: string;
  value: string;
  note?: string | undefined;
  /** The page of what the value names. */
  href?: string;
}

/** A line of a `FactList`, with a button that copies its exact value. */
export function Fact({ name, value, note, href }: Props) {
  return (
    <FactRow name={name} className="flex min-w-0 flex-wrap items-center gap-x-2">
      <span className="flex min-w-0 items-center gap-2">
        <span className="mono min-w-0 break-all">
          {href ? <Link href={href}>{value}</Link> : value || "—"}
        </span>
        {value && <CopyButton text={value} label={uncapitalised(name)} />}
      </span>
      {note && <span className="text-text-3 text-xs">{note}</span>}
    </FactRow>
  );
}

/** An address in full, with the reader's label. */
export function AddressFact({ address }: { address: string }) {
  return <Fact name="Address" value={address} note={useLabel(address)} href={addressPage(address)} />;
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

interface NativeProps {
  name: string;
  amount: string;
  native: Pick<NativeAsset, "symbol" | "decimals">;
}

/** An amount of the native asset, with its conversion to whole units. */
export function NativeFact({ name, amount, native }: NativeProps) {
  const { exact } = formatAmount(amount, native.decimals);
  return (
    <Fact name={`${name}, ${terms.smallestUnit.many}`} value={amount} note={`${exact} ${native.symbol}`} />
  );
}
