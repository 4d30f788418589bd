export const ANNOUNCER_ID = "announcer";

const SHOWN_MS = 1500;
/** Progress leaves this much time to read what was announced before. */
const APART_MS = 2000;
let hiding: ReturnType<typeof setTimeout> | undefined;
let saidAt = Number.NEGATIVE_INFINITY;
/** Progress that waits to be announced. */
let progress = "";
let waiting: ReturnType<typeof setTimeout> | undefined;

/** Announces a message to screen readers; `""` clears what was announced. `visibly` also shows it for a moment. */
export function announce(message: string, visibly = false): void {
  const region = document.getElementById(ANNOUNCER_ID);
  if (!region) return;
  region.textContent = message;
  delete region.dataset.shown;
  if (message === "") progress = "";
  else saidAt = performance.now();
  if (!visibly) return;
  region.dataset.shown = "";
  clearTimeout(hiding);
  hiding = setTimeout(() => delete region.dataset.shown, SHOWN_MS);
}

/** Announces how far something is. The latest message counts. */
export function announceProgress(message: string): void {
  progress = message;
  announceInTime();
}

function announceInTime(): void {
  clearTimeout(waiting);
  if (progress === "") return;
  const left = saidAt + APART_MS - performance.now();
  if (left > 0) {
    waiting = setTimeout(announceInTime, left);
    return;
  }
  const message = progress;
  progress = "";
  announce(message);
}
