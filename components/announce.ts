export const ANNOUNCER_ID = "announcer";

const SHOWN_MS = 1500;
/** Progress is announced at most this often. */
const APART_MS = 2000;
let hiding: ReturnType<typeof setTimeout> | undefined;
let waiting: ReturnType<typeof setTimeout> | undefined;
let saidAt = Number.NEGATIVE_INFINITY;

/** Announces a message to screen readers. `visibly` also shows it for a moment. */
export function announce(message: string, visibly = false): void {
  const region = document.getElementById(ANNOUNCER_ID);
  if (!region) return;
  clearTimeout(waiting);
  saidAt = performance.now();
  region.textContent = message;
  delete region.dataset.shown;
  if (!visibly) return;
  region.dataset.shown = "";
  clearTimeout(hiding);
  hiding = setTimeout(() => delete region.dataset.shown, SHOWN_MS);
}

/** Announces how far something is, once what was announced before has been read. The latest message counts. */
export function announceProgress(message: string): void {
  clearTimeout(waiting);
  const left = saidAt + APART_MS - performance.now();
  if (left <= 0) announce(message);
  else waiting = setTimeout(announce, left, message);
}
