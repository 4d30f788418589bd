import { CloseIcon } from "#components/icons.tsx";
import { Chip } from "#components/ui/Chip.tsx";
import { IconButton } from "#components/ui/IconButton.tsx";
import { displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import { countOf, cutId, cutToText, formatAmount } from "#lib/client/format.ts";
import type { Holding } from "#lib/client/holdings.ts";
import { terms } from "#terms";

/** The token that the list is filtered by, with a button to remove the filter. */
export function TokenChip(props: { id: string; holding: Holding | undefined; onRemove: () => void }) {
  const { id, holding, onRemove } = props;
  const symbol = holding ? displaySymbol(holding) : "Token";
  const balance = holding && formatAmount(holding.amount, displayDecimals(holding));
  return (
    <div className="mb-2">
      <Chip size="large">
        <bdi className="shrink-0 font-medium text-text">{symbol}</bdi>
        <span className="mono shrink-0">{cutToText(cutId(id))}</span>
        {balance && (
          <span className="truncate" title={balance.exact}>
            {balance.text} in {countOf(holding.outputCount, terms.output)}
          </span>
        )}
        <IconButton aria-label={`Remove the filter ${symbol}`} onClick={onRemove}>
          <CloseIcon />
        </IconButton>
      </Chip>
    </div>
  );
}
