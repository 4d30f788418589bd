/** The tip when this browser last read an address. It is sent only in requests for changes and in links that the reader follows. */
export interface Visit {
  address: string;
  hash: string;
  height: number;
  /** Milliseconds since the Unix epoch. */
  time: number;
  before?: Omit<Visit, "address" | "before">;
}

/** Reloading the page within this time belongs to the same visit. */
const SAME_VISIT_MS = 30 * 60_000;

const KEY = "aqs_visits";
/** Number of addresses that are stored. */
const MOST = 50;

/** The visits in the browser's local storage. */
export const storedVisits = {
  /** Parses stored text. Others may have written it, so invalid visits are left out. */
  parse(stored: string | null): Visit[] {
    try {
      const list: unknown = JSON.parse(stored ?? "[]");
      return Array.isArray(list) ? list.filter(isVisit).slice(0, MOST) : [];
    } catch {
      return [];
    }
  },

  /** The unparsed text, so that an unchanged list is an equal value. Null if nothing is stored. */
  read(): string | null {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  },

  /** Notifies this page's listeners; the browser notifies those of other tabs. */
  write(visits: readonly Visit[]): void {
    try {
      if (visits.length === 0) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, JSON.stringify(visits));
    } catch {
      // The storage is full or disabled, and pages work without it.
    }
    window.dispatchEvent(new Event("storage"));
  },
};

function isVisit(value: unknown): value is Visit {
  const { address, before } = Object(value) as Partial<Visit>;
  return typeof address === "string" && isPlace(value) && (before === undefined || isPlace(before));
}

function isPlace(value: unknown): boolean {
  const { hash, height, time } = Object(value) as Partial<Visit>;
  const isHash = typeof hash === "string" && /^0x[0-9a-f]{64}$/.test(hash);
  return isHash && Number.isSafeInteger(height) && Number.isSafeInteger(time);
}

/** Adds a visit to the list. The newest is first, and each address appears once. */
export function withVisit(list: readonly Visit[], { address, hash, height, time }: Visit): Visit[] {
  const last = list.find((one) => one.address === address);
  const others = list.filter((one) => one !== last);
  const before = !last || time - last.time < SAME_VISIT_MS ? last?.before : placeOf(last);
  return [{ address, hash, height, time, ...(before && { before }) }, ...others].slice(0, MOST);
}

const placeOf = ({ hash, height, time }: Visit) => ({ hash, height, time });

/** Stores a visit. Returns the address's previous visit, if any. */
export function recordVisit(visit: Visit): Visit["before"] {
  const list = withVisit(storedVisits.parse(storedVisits.read()), visit);
  storedVisits.write(list);
  return list[0]?.before;
}
