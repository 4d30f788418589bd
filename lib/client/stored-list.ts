/**
 * A short list that this browser keeps in its local storage, and nothing else: it is never sent.
 * @param limit items kept, those at the front
 */
export function storedList<Item>(key: string, limit: number, isItem: (value: unknown) => value is Item) {
  const cut = (items: Item[]): Item[] => items.slice(0, limit);
  return {
    cut,

    /** The items of a stored text. Others may have written it, so what is no item is left out. */
    parse(stored: string | null): Item[] {
      try {
        const list: unknown = JSON.parse(stored ?? "[]");
        return Array.isArray(list) ? cut(list.filter(isItem)) : [];
      } catch {
        return [];
      }
    },

    /** The stored text, unparsed, so that an unchanged list is the same value. Null if the browser keeps nothing. */
    read(): string | null {
      try {
        return localStorage.getItem(key);
      } catch {
        return null;
      }
    },

    /** Tells this page's listeners as the browser tells those of other tabs. The page works if nothing is stored. */
    write(items: readonly Item[]): void {
      try {
        if (items.length === 0) localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify(items));
      } catch {
        // The storage is full or disabled.
      }
      window.dispatchEvent(new Event("storage"));
    },
  };
}
