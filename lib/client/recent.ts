import { storedList } from "./stored-list.ts";

export interface Lookup {
  path: string;
  label: string;
}

/** The last 10. */
export const storedLookups = storedList("aqs_recent", 10, isLookup);

function isLookup(value: unknown): value is Lookup {
  const { path, label } = Object(value) as Partial<Lookup>;
  return typeof path === "string" && /^\/(addresses|blocks)\/\w+$/.test(path) && typeof label === "string";
}

/** Newest first, each path once. */
export function withLookup(list: readonly Lookup[], lookup: Lookup): Lookup[] {
  return storedLookups.cut([lookup, ...list.filter(({ path }) => path !== lookup.path)]);
}
