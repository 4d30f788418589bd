import type { MouseEvent } from "react";

/** False for clicks that open a link in another tab or window, or download it. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
