import type { ReactNode } from "react";
import { cutId, cutToText } from "#lib/client/format.ts";
import { CloseIcon } from "./icons.tsx";
import { focusResults } from "./navigation.tsx";
import { Chip } from "./ui/Chip.tsx";
import { IconButton } from "./ui/IconButton.tsx";

interface Props {
  id: string;
  symbol: string;
  /** More about the asset; its id by default, except on phones. Null for none. */
  children?: ReactNode;
  onRemove: () => void;
}

/** The asset, or something else, that a list is filtered by, with a button to remove the filter. */
export function FilterChip({
  id,
  symbol,
  children = <span className="mono shrink-0 max-sm:hidden">{cutToText(cutId(id))}</span>,
  onRemove,
}: Props) {
  function remove() {
    onRemove();
    // The button has the focus, and goes away.
    focusResults();
  }
  return (
    <Chip size="large" title={id}>
      <bdi className="truncate font-medium text-text">{symbol}</bdi>
      {children}
      <IconButton aria-label={`Remove the filter ${symbol}`} onClick={remove}>
        <CloseIcon />
      </IconButton>
    </Chip>
  );
}
