"use client";

import { terms } from "#chain/terms.ts";
import { CloseIcon } from "#components/icons.tsx";
import { Chip } from "#components/ui/Chip.tsx";
import { IconButton } from "#components/ui/IconButton.tsx";
import { displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import { countOf, cutId, cutToText, formatAmount } from "#lib/client/format.ts";
import type { Holding } from "#lib/client/holdings.ts";

interface Props {
  id: string;
  holding: Holding | undefined;
  onRemove: () => void;
}

/** The token that the list shows only, and a way to show all again. */
export default function TokenChip({ id, holding, onRemove }: Props) {
  const symbol = holding ? displaySymbol(holding) : "Token";
  const balance = holding && formatAmount(holding.amount, displayDecimals(holding));
  return (
    <Chip size="large">
      <bdi className="shrink-0 font-medium text-text">{symbol}</bdi>
      <span className="mono shrink-0">{cutToText(cutId(id))}</span>
      {holding && balance && (
        <span className="truncate" title={balance.exact}>
          {balance.whole}
          {balance.fraction} in {countOf(holding.outputCount, terms.output)}
        </span>
      )}
      <IconButton aria-label={`Remove the filter ${symbol}`} onClick={onRemove}>
        <CloseIcon />
      </IconButton>
    </Chip>
  );
}
