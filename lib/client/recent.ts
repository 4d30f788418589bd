/** The last look-ups of this browser. They stay in it: nothing of this is ever sent. */
export interface Lookup {
  path: string;
  label: string;
}

/** The event of the window that says that the list changed. */
export const LOOKUPS_CHANGED = "recent-lookups";

const STORED_AS = "aqs_recent";
const KEPT = 10;

export function parseLookups(stored: string | null): Lookup[] {
  if (stored === null) return [];
  try {
    const list: unknown = JSON.parse(stored);
    return Array.isArray(list) ? list.filter(isLookup).slice(0, KEPT) : [];
  } catch {
    // Written by something else under our name: as good as empty.
    return [];
  }
}

function isLookup(value: unknown): value is Lookup {
  if (typeof value !== "object" || value === null) return false;
  const { path, label } = value as Partial<Lookup>;
  return typeof path === "string" && /^\/(addresses|blocks)\/\w+$/.test(path) && typeof label === "string";
}

/** The newest first, each path once. */
export function withLookup(list: readonly Lookup[], lookup: Lookup): Lookup[] {
  return [lookup, ...list.filter(({ path }) => path !== lookup.path)].slice(0, KEPT);
}

/** The stored text itself, so that an unchanged list is the same value. */
export function storedLookups(): string | null {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    // Storage is switched off: there are no recent look-ups.
    return null;
  }
}

/** Stores the list, and says so to whoever listens on this page. */
export function storeLookups(list: readonly Lookup[]): void {
  try {
    if (list.length === 0) localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, JSON.stringify(list));
  } catch {
    // Storage is full or switched off: looking up works without it.
  }
  window.dispatchEvent(new Event(LOOKUPS_CHANGED));
}
