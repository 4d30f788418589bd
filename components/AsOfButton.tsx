"use client";

import { BlockForm } from "./BlockForm.tsx";
import { HistoryIcon } from "./icons.tsx";
import { Button } from "./ui/Button.tsx";
import { AnchoredPopover } from "./ui/Popover.tsx";

/** Opens the page as of a past block or date. */
export function AsOfButton() {
  return (
    <>
      <Button popoverTarget="as-of">
        <HistoryIcon /> As of
      </Button>
      <AnchoredPopover id="as-of" title="As of a past block or date" at="end">
        <BlockForm parameter="at" value="" action="Show" />
        <p className="mt-2 text-text-2">A date means the last block of that day, in UTC.</p>
      </AnchoredPopover>
    </>
  );
}
