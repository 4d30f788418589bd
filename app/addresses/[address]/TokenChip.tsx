import { FilterChip } from "#components/FilterChip.tsx";
import { displaySymbol, markedAmount } from "#lib/client/chain-text.ts";
import { countOf, cutId, cutToText } from "#lib/client/format.ts";
import type { Holding } from "#lib/client/holdings.ts";
import { terms } from "#terms";

/** The token that the list is filtered by, with its balance. */
export function TokenChip(props: { id: string; holding: Holding | undefined; onRemove: () => void }) {
  const { id, holding, onRemove } = props;
  const balance = holding && markedAmount(holding.amount, holding, holding.standard);
  return (
    <FilterChip id={id} symbol={holding ? displaySymbol(holding) : "Token"} onRemove={onRemove}>
      <span className="mono shrink-0">{cutToText(cutId(id))}</span>
      {balance && (
        // It is cut off before the symbol is.
        <span className="shrink-99 truncate" title={balance.exact}>
          {balance.text} in {countOf(holding.outputCount, terms.output)}
        </span>
      )}
    </FilterChip>
  );
}
