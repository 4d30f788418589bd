export const ANNOUNCER_ID = "announcer";

/** Announces a message to screen readers, through the layout's one polite live region. */
export function announce(message: string): void {
  const region = document.getElementById(ANNOUNCER_ID);
  if (region) region.textContent = message;
}
