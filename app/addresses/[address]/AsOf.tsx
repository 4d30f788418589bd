import { BlockForm } from "#components/BlockForm.tsx";
import { HistoryIcon } from "#components/icons.tsx";
import { Button } from "#components/ui/Button.tsx";
import { AnchoredPopover } from "#components/ui/Popover.tsx";
import { formatCount, formatUtc } from "#lib/client/format.ts";
import type { BlockHeader } from "#lib/contract/ledger.ts";

/** The range may begin above the chosen block, and would then be empty. */
const OTHER_RANGE = { since: "" };
const AT = [{ parameter: "at", value: "" }];

interface Props {
  block: BlockHeader;
  /** Phones show only the icon. */
  brief: boolean;
}

/** The block that the page is as of, and a form to choose another one. */
export function AsOf({ block: { height, timestamp }, brief }: Props) {
  return (
    <>
      <Button
        tone="bare"
        size="narrow"
        popoverTarget="as-of"
        title={formatUtc(timestamp)}
        className="min-h-6! px-0! font-normal! text-sm!"
      >
        <HistoryIcon />
        <span className={brief ? "max-sm:sr-only" : ""}>as of block {formatCount(height)}</span>
      </Button>
      <AnchoredPopover id="as-of" title="As of a past block or date" className="whitespace-normal">
        <BlockForm fields={AT} action="Show" along={OTHER_RANGE} />
        <p className="mt-2 text-text-2">A date means the last block of that day, in UTC.</p>
      </AnchoredPopover>
    </>
  );
}
