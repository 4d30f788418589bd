import { useCallback, useEffect, useState } from "react";
import { repeat } from "./repeat.ts";

/** Whether the reader is looking at or using a part of the page. */
function isReading(part: Element): boolean {
  return (
    part.matches(":hover") ||
    part.querySelector(":focus") !== null ||
    // Controls of a list stand beside its part, in the same section. A click on a button alone does not hold it, nor does a link.
    part.closest("section")?.querySelector(":focus-visible:not(a, [tabindex='-1']), select:focus") != null ||
    part.querySelector('[aria-expanded="true"], tr[data-selected]') !== null ||
    document.getSelection()?.isCollapsed === false ||
    document.querySelector("dialog[open], [role=dialog]:popover-open") !== null ||
    part.getBoundingClientRect().top < 0
  );
}

const CHECK_MS = 1_000;

/** Calls `act` (a stable function) every second, but never while the part is being read. */
export function useUnlessReading(partId: string, act: (() => void) | null): void {
  useEffect(() => {
    if (!act) return;
    return repeat(() => {
      const part = document.getElementById(partId);
      if (!(part && isReading(part))) act();
    }, CHECK_MS);
  }, [partId, act]);
}

/** Holds back new values while their part of the page is being read. `show` shows the newest at once. */
export function useWhenUnread<Value>(partId: string, newest: Value): [shown: Value, show: () => void] {
  const [shown, setShown] = useState(newest);
  const show = useCallback(() => setShown(newest), [newest]);
  useUnlessReading(partId, shown === newest ? null : show);
  return [shown, show];
}
