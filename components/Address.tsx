"use client";

import { cutAddress } from "#lib/client/format.ts";
import { addressPage } from "#lib/client/wallet.ts";
import { Cut } from "./Cut.tsx";
import { Link } from "./Link.tsx";
import { useLabel } from "./labels.tsx";
import { useRowTabIndex } from "./table/row-context.ts";

interface Props {
  address: string;
  /** Classes of the cut text. */
  className?: string;
  /** Cuts more on narrow windows. */
  narrows?: boolean;
  /** On the screen, a labelled address has only its label, and the address in the title. */
  brief?: boolean;
  /** A labelled address has both also on narrow windows. */
  whole?: boolean;
}

const PRINTED = "hidden print:inline";
const NOT_NARROW = "max-lg:not-print:hidden";

/** A cut address, after the reader's label if it has one; on narrow windows the label alone. Title and printouts are complete. */
export function Address({ address, className = "", narrows = false, brief = false, whole = false }: Props) {
  const label = useLabel(address);
  const parts = cutAddress(address);
  if (label === undefined) return <Cut parts={parts} className={className} narrows={narrows} />;
  return (
    <span className="inline-flex max-w-full min-w-0 items-baseline gap-1.5" title={`${label}: ${address}`}>
      <bdi className="min-w-0 truncate font-medium">{label}</bdi>
      <Cut parts={parts} className={`${className} ${brief ? PRINTED : whole ? "" : NOT_NARROW}`} />
    </span>
  );
}

/** A link to the page of an address. `className` is for the link. */
export function AddressLink({ className, ...shown }: Props) {
  return (
    <Link href={addressPage(shown.address)} tabIndex={useRowTabIndex()} className={className}>
      <Address {...shown} />
    </Link>
  );
}
