/** Lists in the browser's local storage, which never leave it. */
import { formatCount } from "./format.ts";

export interface StoredList<Item> {
  /** Parses stored text. Others may have written it: leaves out invalid items, repeated ones, and those beyond the limit. */
  parse(stored: string | null): Item[];
  /** The unparsed text, so that an unchanged list is an equal value. Null if nothing is stored. */
  read(): string | null;
  /** The items as they are now: another tab may have changed them since the page rendered. */
  items(): Item[];
  /** Stores all items: callers keep to the limit. Returns false if the browser refuses: its storage is full or disabled. */
  write(items: readonly Item[]): boolean;
  /** Maximum number of items that are read. */
  most: number;
}

/** @param nameOf what no two items of the list share */
export function storedList<Item>(
  key: string,
  most: number,
  isItem: (value: unknown) => value is Item,
  nameOf: (item: Item) => string,
): StoredList<Item> {
  return {
    most,

    parse(stored) {
      try {
        const list: unknown = JSON.parse(stored ?? "[]");
        const items = Array.isArray(list) ? list.filter(isItem) : [];
        return Array.from(Map.groupBy(items, nameOf).values(), ([first]) => first!).slice(0, most);
      } catch {
        return [];
      }
    },

    read() {
      try {
        return localStorage.getItem(key);
      } catch {
        return null;
      }
    },

    items() {
      return this.parse(this.read());
    },

    write(items) {
      try {
        if (items.length === 0) localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify(items));
      } catch {
        return false;
      }
      // The browser notifies the pages of other tabs only.
      window.dispatchEvent(new Event("storage"));
      return true;
    },
  };
}

/** Checks texts of at least one UTF-16 code unit. */
export const isTextUpTo =
  (most: number) =>
  (value: unknown): value is string =>
    typeof value === "string" && value !== "" && value.length <= most;

export const tooManyStored = ({ most }: Pick<StoredList<unknown>, "most">, things: string): string =>
  `This browser keeps at most ${formatCount(most)} ${things}.`;

/** Said where the browser refuses to store something. */
export const NOT_STORED = "This browser could not save this: its storage is full or switched off.";
