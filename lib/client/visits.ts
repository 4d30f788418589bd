/**
 * At which block this browser last read an address, so that the page can say what changed since. Kept in this browser
 * only: it is never sent, but for the block of a link that the reader follows.
 */
export interface Visit {
  address: string;
  /** Of the tip at which the page was read. */
  hash: string;
  height: number;
  /** Milliseconds since the Unix epoch. */
  time: number;
  /** The visit before. */
  before?: Omit<Visit, "address" | "before">;
}

const STORED_AS = "aqs_visits";
const KEPT = 50;
/** Loading the page again so soon is part of the same visit. */
const SAME_VISIT_MS = 30 * 60_000;

export function parseVisits(stored: string | null): Visit[] {
  if (stored === null) return [];
  try {
    const list: unknown = JSON.parse(stored);
    return Array.isArray(list) ? list.filter(isVisit).slice(0, KEPT) : [];
  } catch {
    // Something else wrote to our key: treat the list as empty.
    return [];
  }
}

function isVisit(value: unknown): value is Visit {
  const { address, before } = Object(value) as Partial<Visit>;
  return typeof address === "string" && isPlace(value) && (before === undefined || isPlace(before));
}

function isPlace(value: unknown): boolean {
  const { hash, height, time } = Object(value) as Partial<Visit>;
  return (
    typeof hash === "string" &&
    /^0x[0-9a-f]{64}$/.test(hash) &&
    Number.isSafeInteger(height) &&
    Number.isSafeInteger(time)
  );
}

/** The list with this visit, newest first, each address once. */
export function withVisit(list: readonly Visit[], { address, hash, height, time }: Visit): Visit[] {
  const last = list.find((one) => one.address === address);
  const others = list.filter((one) => one !== last);
  const before = !last || time - last.time < SAME_VISIT_MS ? last?.before : placeOf(last);
  return [{ address, hash, height, time, ...(before && { before }) }, ...others].slice(0, KEPT);
}

const placeOf = ({ hash, height, time }: Visit) => ({ hash, height, time });

/** Remembers that the address was read at a block; returns the visit before, if there is one. */
export function recordVisit(visit: Visit): Visit["before"] {
  const list = withVisit(parseVisits(read()), visit);
  write(JSON.stringify(list));
  return list[0]?.before;
}

export function forgetVisits(): void {
  write(null);
}

function read(): string | null {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    // Storage is disabled: nothing is remembered.
    return null;
  }
}

function write(text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, text);
  } catch {
    // Storage is full or disabled: the page works without it.
  }
}
