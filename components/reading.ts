/**
 * Whether someone is reading or using a part of the page, so that it must not move: the pointer or the focus is in it,
 * a row is open, text is selected, or its beginning is scrolled out of the window.
 */
export function isReading(part: Element): boolean {
  return (
    part.matches(":hover, :focus-within") ||
    part.querySelector('[aria-expanded="true"]') !== null ||
    document.getSelection()?.isCollapsed === false ||
    document.querySelector('[role="dialog"]') !== null ||
    part.getBoundingClientRect().top < 0
  );
}

/** How often to look whether the reader has finished, in milliseconds. */
export const READING_CHECK_MS = 1_000;
