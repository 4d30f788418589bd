/** A short list that this browser keeps in its local storage, and nothing else: it is never sent. */
export class StoredList<Item> {
  readonly #key: string;
  readonly #limit: number;
  readonly #isItem: (value: unknown) => value is Item;

  /** @param limit items kept, those at the front */
  constructor(key: string, limit: number, isItem: (value: unknown) => value is Item) {
    this.#key = key;
    this.#limit = limit;
    this.#isItem = isItem;
  }

  /** The items of a stored text. Others may have written it, so what is no item is left out. */
  parse(stored: string | null): Item[] {
    try {
      const list: unknown = JSON.parse(stored ?? "[]");
      return Array.isArray(list) ? this.cut(list.filter(this.#isItem)) : [];
    } catch {
      return [];
    }
  }

  cut(items: Item[]): Item[] {
    return items.slice(0, this.#limit);
  }

  /** The stored text, unparsed, so that an unchanged list is the same value. Null if the browser keeps nothing. */
  read(): string | null {
    try {
      return localStorage.getItem(this.#key);
    } catch {
      return null;
    }
  }

  /** Tells this page's listeners as the browser tells those of other tabs. The page works if nothing is stored. */
  write(items: readonly Item[]): void {
    try {
      if (items.length === 0) localStorage.removeItem(this.#key);
      else localStorage.setItem(this.#key, JSON.stringify(items));
    } catch {
      // The storage is full or disabled.
    }
    window.dispatchEvent(new Event("storage"));
  }
}
