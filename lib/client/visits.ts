/** The block at which this browser last read an address. It is never sent, except in a link that the reader follows. */
export interface Visit {
  address: string;
  /** Of the tip at which the page was read. */
  hash: string;
  height: number;
  /** Milliseconds since the Unix epoch. */
  time: number;
  before?: Omit<Visit, "address" | "before">;
}

/** Loading the page again so soon is part of the same visit. */
const SAME_VISIT_MS = 30 * 60_000;

const KEY = "aqs_visits";
/** Addresses of which visits are kept, those at the front of the list. */
const MOST = 50;

/** The visits in the browser's local storage. */
export const storedVisits = {
  /** The visits of a stored text. Others may have written it, so what is no visit is left out. */
  parse(stored: string | null): Visit[] {
    try {
      const list: unknown = JSON.parse(stored ?? "[]");
      return Array.isArray(list) ? list.filter(isVisit).slice(0, MOST) : [];
    } catch {
      return [];
    }
  },

  /** The stored text, unparsed, so that an unchanged list is the same value. Null if the browser keeps nothing. */
  read(): string | null {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  },

  /** Tells this page's listeners as the browser tells those of other tabs. The page works if nothing is stored. */
  write(visits: readonly Visit[]): void {
    try {
      if (visits.length === 0) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, JSON.stringify(visits));
    } catch {
      // The storage is full or disabled.
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

/** The list with this visit, newest first, each address once. */
export function withVisit(list: readonly Visit[], { address, hash, height, time }: Visit): Visit[] {
  const last = list.find((one) => one.address === address);
  const others = list.filter((one) => one !== last);
  const before = !last || time - last.time < SAME_VISIT_MS ? last?.before : placeOf(last);
  return [{ address, hash, height, time, ...(before && { before }) }, ...others].slice(0, MOST);
}

const placeOf = ({ hash, height, time }: Visit) => ({ hash, height, time });

/** Remembers that the address was read at a block; returns the visit before, if there is one. */
export function recordVisit(visit: Visit): Visit["before"] {
  const list = withVisit(storedVisits.parse(storedVisits.read()), visit);
  storedVisits.write(list);
  return list[0]?.before;
}
