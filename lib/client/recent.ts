import { StoredList } from "./stored-list.ts";

/** Recent look-ups, kept in this browser only: they are never sent. */
export interface Lookup {
  path: string;
  label: string;
}

/** Dispatched on the window when the list changes. */
export const LOOKUPS_CHANGED = "recent-lookups";

/** The last 10. */
export const storedLookups = new StoredList("aqs_recent", 10, isLookup);

function isLookup(value: unknown): value is Lookup {
  if (typeof value !== "object" || value === null) return false;
  const { path, label } = value as Partial<Lookup>;
  return typeof path === "string" && /^\/(addresses|blocks)\/\w+$/.test(path) && typeof label === "string";
}

/** Newest first, each path once. */
export function withLookup(list: readonly Lookup[], lookup: Lookup): Lookup[] {
  return storedLookups.cut([lookup, ...list.filter(({ path }) => path !== lookup.path)]);
}

/** Stores the list and notifies this page's listeners. */
export function storeLookups(list: readonly Lookup[]): void {
  storedLookups.write(list);
  window.dispatchEvent(new Event(LOOKUPS_CHANGED));
}
