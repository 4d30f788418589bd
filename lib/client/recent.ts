/** Recent look-ups, kept in this browser only: they are never sent. */
export interface Lookup {
  path: string;
  label: string;
}

/** Dispatched on the window when the list changes. */
export const LOOKUPS_CHANGED = "recent-lookups";

const STORED_AS = "aqs_recent";
const KEPT = 10;

export function parseLookups(stored: string | null): Lookup[] {
  if (stored === null) return [];
  try {
    const list: unknown = JSON.parse(stored);
    return Array.isArray(list) ? list.filter(isLookup).slice(0, KEPT) : [];
  } catch {
    // Something else wrote to our key: treat the list as empty.
    return [];
  }
}

function isLookup(value: unknown): value is Lookup {
  if (typeof value !== "object" || value === null) return false;
  const { path, label } = value as Partial<Lookup>;
  return typeof path === "string" && /^\/(addresses|blocks)\/\w+$/.test(path) && typeof label === "string";
}

/** Newest first, each path once. */
export function withLookup(list: readonly Lookup[], lookup: Lookup): Lookup[] {
  return [lookup, ...list.filter(({ path }) => path !== lookup.path)].slice(0, KEPT);
}

/** The stored text, unparsed, so that an unchanged list is the same value. */
export function storedLookups(): string | null {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    // Storage is disabled: there are no recent look-ups.
    return null;
  }
}

/** Stores the list and notifies this page's listeners. */
export function storeLookups(list: readonly Lookup[]): void {
  try {
    if (list.length === 0) localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, JSON.stringify(list));
  } catch {
    // Storage is full or disabled: look-ups work without it.
  }
  window.dispatchEvent(new Event(LOOKUPS_CHANGED));
}
