export const ANNOUNCER_ID = "announcer";

const SHOWN_MS = 1500;
let hiding: ReturnType<typeof setTimeout> | undefined;

/** Announces a message to screen readers. `visibly` also shows it for a moment. */
export function announce(message: string, visibly = false): void {
  const region = document.getElementById(ANNOUNCER_ID);
  if (!region) return;
  region.textContent = message;
  delete region.dataset.shown;
  if (!visibly) return;
  region.dataset.shown = "";
  clearTimeout(hiding);
  hiding = setTimeout(() => delete region.dataset.shown, SHOWN_MS);
}
