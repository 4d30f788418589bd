"use client";

import { terms } from "#chain/terms.ts";
import { displayDecimals, displaySymbol, type Flag, isNameless } from "#lib/client/chain-text.ts";
import { cutId, cutToText, formatAmount } from "#lib/client/format.ts";
import type { Holding } from "#lib/client/holdings.ts";
import { TokenLink } from "./TokenLink.tsx";

interface Props {
  /** The most valuable first. */
  holdings: readonly Holding[];
  flagsOf: (holding: Holding) => readonly Flag[];
}

/** So many fit beside the tabs of a wide window. On a narrow one the line scrolls. */
const SHOWN = 4;
const FRACTION_DIGITS = 2;

/** The most valuable holdings, without those that pretend to be something else. */
export function LargestHoldings({ holdings, flagsOf }: Props) {
  const honest = holdings.filter((holding) => !flagsOf(holding).some(({ strong }) => strong));
  return (
    <ul
      aria-label="Most valuable holdings"
      className="flex min-w-0 gap-x-4 overflow-x-auto py-1 whitespace-nowrap [scrollbar-width:none]"
    >
      {honest.slice(0, SHOWN).map((holding) => {
        const amount = formatAmount(holding.amount, displayDecimals(holding), FRACTION_DIGITS);
        const unique = amount.scaled ? undefined : terms.outputKind(holding.standard)?.unique;
        return (
          <li key={holding.id} className="flex gap-1.5">
            <TokenLink id={holding.id}>
              <bdi className="inline-block max-w-[18ch] truncate align-bottom">{displaySymbol(holding)}</bdi>
              {isNameless(holding) && <span className="mono"> {cutToText(cutId(holding.id))}</span>}
            </TokenLink>
            <span className="text-text-2" title={amount.exact}>
              {amount.whole}
              {amount.fraction}
              {unique && ` ${unique}`}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
