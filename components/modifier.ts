/** Whether a key is pressed together with one that makes it a shortcut of the browser or the system. */
export const hasModifier = (event: Pick<KeyboardEvent, "altKey" | "ctrlKey" | "metaKey">): boolean =>
  event.altKey || event.ctrlKey || event.metaKey;
