"use client";

import { terms } from "#chain/terms.ts";
import { CloseIcon } from "#components/icons.tsx";
import { buttonClass } from "#components/ui/Button.tsx";
import { Chip } from "#components/ui/Chip.tsx";
import { IconButton } from "#components/ui/IconButton.tsx";
import { displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import { countOf, cutId, cutToText, formatAmount, formatCount } from "#lib/client/format.ts";

/** What the address holds of one asset, as the server adds it up. */
export interface Holding {
  id: string;
  name: string;
  symbol: string;
  decimals: number;
  public: boolean;
  amount: string;
  outputCount: number;
}

interface SelectProps {
  /** `""` for all. */
  token: string;
  /** The tokens with most outputs; `tokenCount` counts all. */
  holdings: Holding[];
  tokenCount: number;
  onChoose: (token: string) => void;
}

export function TokenSelect({ token, holdings, tokenCount, onChoose }: SelectProps) {
  return (
    <select
      aria-label="Token"
      className={buttonClass({ size: "narrow" }, "max-w-56")}
      value={token}
      onChange={(event) => onChoose(event.target.value)}
    >
      <option value="">All tokens ({formatCount(tokenCount)})</option>
      {holdings.map((holding) => (
        <option key={holding.id} value={holding.id}>
          {displaySymbol(holding)} {cutToText(cutId(holding.id))} ({formatCount(holding.outputCount)})
        </option>
      ))}
      {tokenCount > holdings.length && (
        <option disabled>
          and {formatCount(tokenCount - holdings.length)} more: add ?token=ASSET_ID to the URL
        </option>
      )}
      {token !== "" && holdings.every(({ id }) => id !== token) && (
        <option value={token}>{cutToText(cutId(token))}</option>
      )}
    </select>
  );
}

interface ChipProps {
  id: string;
  holding: Holding | undefined;
  onRemove: () => void;
}

export function TokenChip({ id, holding, onRemove }: ChipProps) {
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
