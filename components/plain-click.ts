import type { MouseEvent } from "react";

/** False for the ways of opening a link elsewhere: another tab, another window, a download. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
