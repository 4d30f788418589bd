export const ANNOUNCER_ID = "announcer";

/** Says something to screen readers through the one polite live region of the layout. */
export function announce(message: string): void {
  const region = document.getElementById(ANNOUNCER_ID);
  if (region) region.textContent = message;
}
