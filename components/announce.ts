export const ANNOUNCER_ID = "announcer";

/** Announces a message to screen readers, through the layout's one polite live region. */
export function announce(message: string): void {
  const region = document.getElementById(ANNOUNCER_ID);
  if (!region) return;
  region.textContent = message;
  delete region.dataset.shown;
}

const SHOWN_MS = 1500;
let hiding: ReturnType<typeof setTimeout> | undefined;

/** The same, and shows it for a moment at the foot of the window: for what the page would not show otherwise. */
export function announceVisibly(message: string): void {
  announce(message);
  const region = document.getElementById(ANNOUNCER_ID);
  if (!region) return;
  region.dataset.shown = "";
  clearTimeout(hiding);
  hiding = setTimeout(() => delete region.dataset.shown, SHOWN_MS);
}
