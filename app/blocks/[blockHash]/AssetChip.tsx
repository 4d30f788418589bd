import { CloseIcon } from "#components/icons.tsx";
import { Chip } from "#components/ui/Chip.tsx";
import { IconButton } from "#components/ui/IconButton.tsx";
import { displaySymbol, type ListedNames } from "#lib/client/chain-text.ts";
import { cutId, cutToText } from "#lib/client/format.ts";

interface Props {
  id: string;
  /** Undefined until its row has loaded. */
  asset: ListedNames | undefined;
  onRemove: () => void;
}

/** The asset that the list is filtered by, with a button to remove the filter. */
export function AssetChip({ id, asset, onRemove }: Props) {
  const symbol = asset ? displaySymbol(asset) : "Asset";
  return (
    <Chip size="large" title={id}>
      <bdi className="truncate font-medium text-text">{symbol}</bdi>
      <span className="mono shrink-0 max-sm:hidden">{cutToText(cutId(id))}</span>
      <IconButton aria-label={`Remove the filter ${symbol}`} onClick={onRemove}>
        <CloseIcon />
      </IconButton>
    </Chip>
  );
}
